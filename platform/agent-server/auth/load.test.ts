import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { Auth } from './auth'

const folder = mkdtempSync(path.join(os.tmpdir(), 'auth-'))
writeFileSync(
  path.join(folder, 'auth.mjs'),
  `const made = (authenticate, callbacks) => ({ '~handlerCache': { authenticate, callbacks } })
   export const auth = made(async (request) => {
     const name = request.headers.get('name')
     if (name === 'refused') throw { status: 401, message: 'No such user' }
     if (request.body) throw new Error('has a body')
     return name.startsWith('{') ? JSON.parse(name) : name
   }, { threads: () => ({ owner: 'x' }) })
   export const bare = made(() => 'ada')
   export const open = made(undefined)
   export const nothing = { other: 1 }`,
)
afterAll(() => rmSync(folder, { recursive: true }))

const CONSOLE = { 'x-auth-scheme': 'langsmith' }
const load = (name = 'auth', allowsConsole = true) => Auth.load(`./auth.mjs:${name}`, folder, allowsConsole)
const request = (headers: Record<string, string>) =>
  new Request('http://localhost/threads', { method: 'POST', headers, body: '{"a":1}' })
const userOf = async (name: string) => (await (await load()).authenticate(request({ name }), false)).user

describe('a deployment’s authentication', () => {
  test('that is none does not load', async () => {
    await expect(load('nothing')).rejects.toThrow('The export "nothing" is not an Auth object.')
    await expect(load('open')).rejects.toThrow('The export "open" has no authenticate handler, so it protects nothing.')
    await expect(load('missing')).rejects.toThrow(/^auth\.mjs has no export "missing" \(it exports (\w+, ){3}\w+\)\.$/)
  })

  test('does not use up the body that the operation reads', async () => {
    const given = request({ name: 'ada' })
    const { user } = await (await load()).authenticate(given, false)
    expect([user.identity, await given.text()]).toEqual(['ada', '{"a":1}'])
  })

  test('limits its callers by its other handlers', async () => {
    const caller = await (await load()).authenticate(request({ name: 'ada' }), false)
    expect(await caller.ask('threads:read', {})).toEqual(['{"owner":"x"}'])
    const free = await (await load('bare')).authenticate(request({}), false)
    expect(await free.ask('threads:read', {})).toBeUndefined()
  })

  test('refuses with its own status', async () => {
    const refused = (await load()).authenticate(request({ name: 'refused' }), false)
    await expect(refused).rejects.toMatchObject({ status: 401, detail: 'No such user' })
  })
})

describe('a user', () => {
  test.each<[string, object]>([
    ['ada', { identity: 'ada', display_name: 'ada', is_authenticated: true, permissions: [] }],
    [
      '{"identity":"ada","display_name":"Ada","is_authenticated":false,"permissions":["write"],"plan":"free"}',
      { identity: 'ada', display_name: 'Ada', is_authenticated: false, permissions: ['write'], plan: 'free' },
    ],
    [
      '{"identity":"ada","display_name":1,"is_authenticated":"no","permissions":"all"}',
      { identity: 'ada', display_name: 'ada', is_authenticated: true, permissions: [] },
    ],
  ])('that the handler returns as %s has what handlers and graphs read', async (given, user) => {
    expect(await userOf(given)).toEqual(user)
  })

  test.each(['{"name":"ada"}', '{"identity":1}', '{}'])('without an identity is a failure: %s', async (given) => {
    await expect(userOf(given)).rejects.toThrow('returned neither a text nor an object with an identity')
  })
})

describe('the console', () => {
  test('is let in with the key of the platform, if the graph file allows it, and may do everything', async () => {
    const { user } = await (await load()).authenticate(request({ ...CONSOLE, name: 'ada' }), true)
    expect(user).toMatchObject({ is_authenticated: true, permissions: [] })
    expect([user.identity === 'ada', user.display_name]).toEqual([false, user.identity])
    const asked = async (headers: Record<string, string>, isOperator: boolean, allowsConsole = true) =>
      (await (await load('auth', allowsConsole)).authenticate(request({ ...headers, name: 'ada' }), isOperator)).user
        .identity
    expect(await asked(CONSOLE, false)).toBe('ada')
    expect(await asked({}, true)).toBe('ada')
    expect(await asked({ 'x-auth-scheme': 'other' }, true)).toBe('ada')
    expect(await asked(CONSOLE, true, false)).toBe('ada')
  })
})
