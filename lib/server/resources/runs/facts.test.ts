import { expect, test } from 'vitest'
import type { TraceRun } from '@/lib/contracts/traces/trace-run'
import { lightRun } from '@/lib/traces/light-run'
import { traceFacts } from './facts'

test('the class that an answer comes in is not its input', () => {
  const inputOf = (inputs_preview: string) => {
    const run = { id: 'r', inputs_preview } as TraceRun
    return traceFacts(run, lightRun(run), undefined).input
  }
  expect(inputOf('Commands')).toBe('Commands')
  expect([inputOf('Command'), inputOf('Command approve')]).toEqual([undefined, undefined])
})
