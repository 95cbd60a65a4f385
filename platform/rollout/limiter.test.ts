import { expect, test } from 'vitest'
import { createLineReader } from '../compute/log-level'
import { createLimiter } from '../kernel/limiter'

test('runs in order within the slots; an aborted waiter leaves the queue without taking a slot', async () => {
  const limited = createLimiter(2)
  const never = new AbortController().signal
  const events: string[] = []
  const releases = new Map<string, () => void>()
  const work = (name: string, signal = never) =>
    limited(
      signal,
      () =>
        new Promise<void>((resolve) => {
          events.push(name)
          releases.set(name, resolve)
        }),
    )
  const impatient = new AbortController()
  const all = [work('a'), work('b')]
  const gone = work('gone', impatient.signal)
  all.push(work('c'), work('d'))
  await Promise.resolve()
  expect(events).toEqual(['a', 'b'])
  impatient.abort(new Error('no more'))
  await expect(gone).rejects.toThrow('no more')
  for (const name of ['a', 'b', 'c', 'd']) {
    releases.get(name)?.()
    await new Promise((resolve) => setTimeout(resolve))
  }
  await Promise.all(all)
  expect(events).toEqual(['a', 'b', 'c', 'd'])
  await expect(limited(never, () => Promise.reject(new Error('failed')))).rejects.toThrow('failed')
  await limited(never, async () => events.push('after'))
  expect(events.at(-1)).toBe('after')
})

test('a line’s level comes from its JSON, else from its stream and wording; a stack trace keeps its first line’s level', () => {
  const read = createLineReader()
  expect(read('{"level":"warn","msg":"slow","ms":3}', false)).toEqual({
    level: 'WARNING',
    message: 'slow {"ms":3}',
    runId: undefined,
  })
  expect(read('{"level":"ERROR","message":"x","run_id":"r"}', false)).toEqual({
    level: 'ERROR',
    message: 'x',
    runId: 'r',
  })
  expect(read('{"a":1}', false)).toEqual({ level: 'INFO', message: '{"a":1}' })
  expect(read('TypeError: x is not a function', true).level).toBe('ERROR')
  expect(read('    at file.mjs:1', true).level).toBe('ERROR')
  expect(read('ExperimentalWarning: y', true).level).toBe('WARNING')
})
