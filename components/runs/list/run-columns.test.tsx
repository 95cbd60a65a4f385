import { cleanup, render } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'
import type { RunRow } from '@/lib/contracts/agents/run-row'
import { runColumns } from './run-columns'

afterEach(cleanup)

const STARTED = Date.parse('2026-11-24T10:00:00Z')
const row = { status: 'error', startedAt: new Date(STARTED).toISOString(), endedAt: null } as RunRow
const names = { assistant: () => 'agent', deployment: () => 'harbour' }

function cellOf(column: string, change: Partial<RunRow>) {
  const columns = runColumns({ names, serverNow: STARTED + 5_000, hasDeployment: false })
  const cell = columns.find(({ id }) => id === column)?.cell({ ...row, ...change })
  return render(<p>{cell}</p>).container.firstElementChild as HTMLElement
}
const durationOf = (change: Partial<RunRow>) => cellOf('duration', change).textContent
const told = (column: string, change: Partial<RunRow>) => {
  const cell = cellOf(column, change)
  return [cell.textContent, cell.querySelector('span')?.title]
}

test('a duration counts while the run is active, and is unknown if its end is', () => {
  expect(durationOf({ endedAt: new Date(STARTED + 4_000).toISOString() })).toBe('4.0 s')
  expect(durationOf({ status: 'running' })).toBe('5.0 s')
  expect(durationOf({})).toBe('–')
})

test('figures without a trace are those of the recording, marked as on the page of the run', () => {
  const recorded = { firstTokenMs: 183, usage: { input: 20, output: 5, total: 25 } }
  expect(told('first-token', { recording: 'one', recorded })).toEqual([
    '≈ 183 ms',
    'Time to the first model output, as the console received it.',
  ])
  expect(told('tokens', { recording: 'one', recorded })).toEqual([
    '≈ 25',
    'Reported by the models, as the console received it: 20 in, 5 out.',
  ])
  const silent = { recording: 'one', recorded: { usage: { input: 0, output: 0, total: 0 } } }
  expect(told('tokens', silent)).toEqual(['–', 'Unknown: neither the recording nor a trace tells it.'])
})

test('figures of a trace that goes on are provisional, and where none tells them, their page may', () => {
  const facts = { firstTokenMs: 86, tokens: 445 }
  expect(told('first-token', { ...facts, trace: 'ended' })).toEqual([
    '86 ms',
    'Time to the first model output, from the trace.',
  ])
  expect(told('tokens', { ...facts, trace: 'open' })).toEqual([
    '≈ 445',
    'Reported by the models, from the trace so far.',
  ])
  expect(told('tokens', {})).toEqual(['–', 'Unknown: no trace tells it.'])
  expect(told('tokens', { recording: 'one' })).toEqual([
    '–',
    'Unknown: no trace tells it. The page of the run shows what its recording tells.',
  ])
})
