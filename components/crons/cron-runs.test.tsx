import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { cleanup, render, screen } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { CronRuns } from './cron-runs'

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

const AT = '2026-11-24T10:00:00Z'
const metadata = { cron_id: 'c' }
const run = (run_id: string, status: string) => ({ run_id, thread_id: 't', status, created_at: AT, metadata })
const thread = (thread_id: string, status: string) => ({ thread_id, status, created_at: AT, metadata })

/** The page of a cron whose runs and threads its server tells, and the list of runs. */
function show(server: object[], rows: object[], own?: string) {
  const asked: URLSearchParams[] = []
  vi.stubGlobal('fetch', async (address: string) => {
    if (!address.startsWith('/api/runs/')) return Response.json(server)
    asked.push(new URL(address, 'http://console').searchParams)
    return Response.json({ rows, next: null, looked: null })
  })
  render(
    <QueryClientProvider client={new QueryClient({ defaultOptions: { queries: { retry: false } } })}>
      <CronRuns place={{ workspace: 'w', deploymentId: 'd', cron: 'c' }} thread={own} isKept />
    </QueryClientProvider>,
  )
  return asked
}

test('a run of a cron has the status that it has in the list of runs', async () => {
  const asked = show(
    [run('waits', 'success'), run('cancelled', 'interrupted'), run('old', 'interrupted'), run('done', 'success')],
    [
      { run: 'waits', thread: 't', status: 'waiting', input: 'Send the report?' },
      { run: 'cancelled', thread: 't', status: 'cancelled' },
    ],
    't',
  )
  expect(await screen.findByText('Cancelled')).toBeDefined()
  expect(screen.getAllByText('Needs input')).toHaveLength(1)
  expect(screen.getByText('Send the report?')).toBeDefined()
  // The list does not reach back to these.
  expect(screen.getByText('Interrupted')).toBeDefined()
  expect(screen.getByText('Finished')).toBeDefined()
  expect(Object.fromEntries(asked[0] ?? [])).toMatchObject({
    ...{ deployment: 'd', thread: 't', runs: 'waits,cancelled,old,done' },
  })
})

test('a thread of a cron has the status of its run, else its own', async () => {
  show(
    [thread('cancelled', 'idle'), thread('asks', 'interrupted'), thread('resting', 'idle'), thread('at work', 'busy')],
    [
      { run: 'r1', thread: 'cancelled', status: 'cancelled', input: 'Clean up', error: 'It was too late.' },
      { run: 'r2', thread: 'another', status: 'error' },
    ],
  )
  expect(await screen.findByText('Cancelled')).toBeDefined()
  expect(['Needs input', 'Idle', 'Busy'].map((text) => screen.getAllByText(text).length)).toEqual([1, 1, 1])
  expect(screen.queryByText('Failed')).toBeNull()
  expect([screen.getByText('Clean up'), screen.getByText('It was too late.')]).toHaveLength(2)
})
