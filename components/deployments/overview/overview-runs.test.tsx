import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { cleanup, render, screen } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'
import type { RunRow } from '@/lib/contracts/agents/run-row'
import { revisionLogsQuery } from '@/lib/queries/revisions'
import { recentRuns, runRowsQuery } from '@/lib/queries/runs'
import { OverviewRuns } from './overview-runs'

afterEach(cleanup)

function show(isUnheard: boolean, isPending = false, rows: Partial<RunRow>[] = [], problem?: string) {
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY } } })
  const looked = { problems: problem ? [{ deployment: 'd', message: problem }] : [], isPending }
  client.setQueryData<unknown>(runRowsQuery('local', recentRuns('d')).queryKey, { rows, next: null, looked })
  const log = { type: 'deploy', level: 'ERROR', order: 'desc', limit: 5 } as const
  client.setQueryData<unknown>(revisionLogsQuery('local', 'd', 'r', log).queryKey, { logs: [], next_offset: null })
  render(
    <QueryClientProvider client={client}>
      <OverviewRuns workspace="local" deploymentId="d" active="r" isUnheard={isUnheard} />
    </QueryClientProvider>,
  )
}

test('a log that does not arrive says nothing about errors', () => {
  show(false)
  expect(screen.getByText('No errors in recent runs or the active revision’s log.')).toBeTruthy()
  cleanup()
  show(true)
  expect(screen.getByText('No errors in recent runs.')).toBeTruthy()
  expect(screen.getByText('Newer lines of the log have not arrived.')).toBeTruthy()
})

test('runs that a server has not told yet say nothing about errors', () => {
  show(false, true)
  expect(screen.getByText('No errors in the active revision’s log.')).toBeTruthy()
  cleanup()
  show(true, true)
  expect(screen.getByText('Unknown')).toBeTruthy()
})

test('a run is called what it was asked, and by its id only if that is unknown', () => {
  const run = { recording: 'r', deployment: 'd', startedBy: 'Ada', status: 'success' } as const
  const startedAt = new Date().toISOString()
  show(false, false, [
    { ...run, id: 'one', run: '0190b7a5-one', input: 'Where is my order?', startedAt },
    { ...run, id: 'two', run: '0190b7a5-two', startedAt },
  ])
  expect(screen.getAllByRole('link', { name: /Ada/ }).map((link) => link.textContent)).toEqual([
    'Where is my order? Ada',
    '0190b7a5 Ada',
  ])
})

test('runs are not said to be the latest while their server cannot be read', () => {
  const run = { id: 'one', run: 'r', recording: 'r', deployment: 'd', startedBy: 'Ada', status: 'success' } as const
  const startedAt = new Date().toISOString()
  show(false, false, [{ ...run, input: 'Where is my order?', startedAt }], 'The agent server cannot be reached.')
  expect(screen.getByRole('link', { name: 'Where is my order? Ada' })).toBeTruthy()
  expect(screen.getByText('Newer runs may be missing: The agent server cannot be reached.')).toBeTruthy()
  expect(screen.getByText('No errors in the active revision’s log.')).toBeTruthy()
})
