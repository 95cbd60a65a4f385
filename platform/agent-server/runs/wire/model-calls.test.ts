import { describe, expect, test } from 'vitest'
import { ModelCalls } from './model-calls'

describe('the call of a model', () => {
  test('is found by the message of its chunk, or by the run that names the message', () => {
    const calls = new ModelCalls()
    const message = { id: 'own' }
    calls.handleLLMNewToken('a', undefined, 'one', undefined, undefined, { chunk: { message } })
    calls.handleLLMNewToken('b', undefined, 'one')
    calls.handleLLMNewToken('c', undefined, 'two', undefined, undefined, { chunk: {} })
    calls.handleLLMNewToken('d', undefined, 'two', undefined, undefined, {})
    calls.handleLLMNewToken('e', undefined, 'xone')
    expect(calls.callOf(message)).toMatchObject({ sent: 2, received: 0, isEnded: false })
    expect(calls.callOf({ id: 'run-one' })).toBe(calls.callOf(message))
    expect(calls.callOf({ id: 'two' })).toMatchObject({ sent: 2 })
    expect([calls.callOf({ id: 'xrun-one' }), calls.callOf({})]).toEqual([undefined, undefined])
  })

  test('tells its end and its error; the end of an unknown one is ignored', () => {
    const calls = new ModelCalls()
    calls.handleLLMNewToken('a', undefined, 'one')
    calls.handleLLMNewToken('a', undefined, 'two')
    const ends: string[] = []
    const [one, two] = ['one', 'two'].map((id) => calls.callOf({ id }))
    Object.assign(one ?? {}, { onEnd: () => ends.push('one') })
    calls.handleLLMEnd(undefined, 'one')
    calls.handleLLMError(new Error('no'), 'two')
    calls.handleLLMEnd(undefined, 'unknown')
    expect([one?.isEnded, one && 'error' in one, two?.isEnded, two?.error, ends]).toEqual([
      ...[true, false, true, new Error('no'), ['one']],
    ])
  })
})
