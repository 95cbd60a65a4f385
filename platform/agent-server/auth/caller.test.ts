import { describe, expect, test } from 'vitest'
import { HttpError } from '../kernel/errors'
import { type Callbacks, Caller, refusing } from './caller'

const user = { identity: 'ada', display_name: 'Ada', is_authenticated: true, permissions: ['write'] }
const asking = (callbacks: Callbacks) => new Caller(user, callbacks)

describe('a caller', () => {
  const named = (...names: string[]) => {
    const asked: string[] = []
    const callbacks = Object.fromEntries(names.map((name) => [name, () => void asked.push(name)]))
    return { asked, caller: asking(callbacks) }
  }

  test.each([
    [['threads:read', 'threads', '*:read', '*'], 'threads:read'],
    [['threads', '*:read', '*'], 'threads'],
    [['*:read', '*'], '*:read'],
    [['*'], '*'],
    [['threads:update', 'crons', '*:update'], undefined],
    [[], undefined],
  ])('with handlers for %j is asked by %s', async (names, wanted) => {
    const { asked, caller } = named(...names)
    expect(await caller.ask('threads:read', {})).toBeUndefined()
    expect(asked).toEqual(wanted ? [wanted] : [])
  })

  test('is described to the handler, which may change the request', async () => {
    const value: Record<string, unknown> = { metadata: {} }
    let seen: unknown
    await asking({
      store: (request) => {
        seen = request
        ;(request.value as typeof value).namespace = ['ada']
      },
    }).ask('store:put', value)
    expect(seen).toEqual({ event: 'store:put', resource: 'store', action: 'put', value, permissions: ['write'], user })
    expect(value.namespace).toEqual(['ada'])
  })

  test.each([[undefined], [null], [true]])('whose handler returns %j may do everything', async (result) => {
    expect(await asking({ '*': () => result }).ask('threads:read', {})).toBeUndefined()
  })

  test('is forbidden what the handler answers with false, and limited to what its filter says', async () => {
    const answering = (result: unknown) => asking({ '*': async () => result }).ask('threads:read', {})
    await expect(answering(false)).rejects.toMatchObject({ status: 403, detail: 'Forbidden' })
    expect(await answering({ owner: 'ada' })).toEqual(['{"owner":"ada"}'])
    expect(await answering({})).toEqual([])
    for (const odd of ['yes', 1, ['a']])
      await expect(answering(odd)).rejects.toThrow(/^The auth handler for \* returned \w+; expected a filter/)
  })
})

describe('what a handler throws', () => {
  const thrown = (error: unknown) =>
    refusing(() => {
      throw error
    }).catch((caught: unknown) => caught)

  test.each([400, 401, 599])('with the status %i is the response, with its headers', async (status) => {
    const refusal = await thrown({ status, message: 'No', headers: { 'WWW-Authenticate': 'Bearer' } })
    expect(refusal).toBeInstanceOf(HttpError)
    expect(refusal).toMatchObject({ status, detail: 'No', headers: { 'www-authenticate': 'Bearer' } })
  })

  test('without a message is a refusal too', async () => {
    expect(await thrown({ status: 403 })).toMatchObject({ status: 403, detail: 'Refused', headers: {} })
  })

  test('without such a status stays what it is', async () => {
    const own = new HttpError(404, 'Thread x not found.')
    for (const error of [new Error('broken'), { status: 399 }, { status: 600 }, { status: '401' }, own])
      expect(await thrown(error)).toBe(error)
    expect(await refusing(async () => 7)).toBe(7)
  })
})
