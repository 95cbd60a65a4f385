import { cleanup, render } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'
import type { RunRow } from '@/lib/contracts/agents/run-row'
import { runColumns } from './run-columns'

afterEach(cleanup)

const STARTED = Date.parse('2026-11-24T10:00:00Z')
const row = { status: 'error', startedAt: new Date(STARTED).toISOString(), endedAt: null } as RunRow
const names = { assistant: () => 'agent', deployment: () => 'harbour' }

function durationOf(change: Partial<RunRow>) {
  const columns = runColumns({ names, serverNow: STARTED + 5_000, hasDeployment: false })
  const cell = columns.find(({ id }) => id === 'duration')?.cell({ ...row, ...change })
  return render(<p>{cell}</p>).container.textContent
}

test('a duration counts while the run is active, and is unknown if its end is', () => {
  expect(durationOf({ endedAt: new Date(STARTED + 4_000).toISOString() })).toBe('4.0 s')
  expect(durationOf({ status: 'running' })).toBe('5.0 s')
  expect(durationOf({})).toBe('–')
})
