import { expect, test, vi } from 'vitest'
import { logAs } from './lines'

test('each line of a log is one JSON object, and errors go to standard error', () => {
  const out = vi.spyOn(process.stdout, 'write').mockReturnValue(true)
  const err = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  const say = logAs('platform')
  say('It runs.\n{"level":"error"}')
  say('It ended.', 'error')
  const lines = [out, err].map((stream) => stream.mock.calls.map(([text]) => String(text)))
  vi.restoreAllMocks()
  expect(lines.flat().map((line) => line.indexOf('\n') === line.length - 1)).toEqual([true, true])
  expect(lines.map((some) => some.map((line) => JSON.parse(line)))).toEqual([
    [{ at: expect.any(String), level: 'info', event: 'platform', message: 'It runs.\n{"level":"error"}' }],
    [{ at: expect.any(String), level: 'error', event: 'platform', message: 'It ended.' }],
  ])
})
