import { QueryClient, QueryClientProvider, type QueryKey } from '@tanstack/react-query'
import { cleanup, render, screen, within } from '@testing-library/react'
import { afterEach, describe, expect, test, vi } from 'vitest'
import type { RunActivity } from '@/lib/contracts/activity'
import { activityQuery, deploymentRowsQuery, deploymentsQuery } from '@/lib/queries/deployments'
import { runRowsQuery } from '@/lib/queries/runs'
import { FailingRunsItem, useFailingRuns } from './failing-runs'
import { FAILING, FleetSummary } from './fleet-summary'

vi.mock('next/navigation', () => ({ useRouter: () => ({ push: vi.fn() }) }))

afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

function Items() {
  return useFailingRuns('local').failing.map((one) => (
    <FailingRunsItem key={one.id} workspace="local" deployment={one} renderChange={() => 'Ada changed a secret'} />
  ))
}

function show(hours: RunActivity['hours'], change: unknown) {
  const client = new QueryClient({ defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY } } })
  const failed = { status: 'failed', since: '24h', limit: 50 }
  client.setQueryData<unknown>(runRowsQuery('local', failed).queryKey, { rows: [{ id: 'r', deployment: 'd' }] })
  client.setQueryData<unknown>(deploymentsQuery('local', { limit: 100 }).queryKey, {
    resources: [{ id: 'd', name: 'harbour' }],
  })
  const runs = { source: 'traces', runs: 10, failed: 3, hours, p95: 1 }
  client.setQueryData<unknown>(activityQuery('local', ['d']).queryKey, { d: { runs, change } })
  render(
    <QueryClientProvider client={client}>
      <Items />
    </QueryClientProvider>,
  )
}

test('a deployment whose runs fail says how many, since when, and what changed last', () => {
  show([{ runs: 10, failed: 3 }], { at: new Date().toISOString() })
  expect(screen.getByRole('listitem').textContent).toMatch(
    /^Runs failharbour 30% of 10 runs failed since \d\d:\d\dLast change: Ada changed a secret/,
  )
  expect(screen.getByRole('link', { name: 'Failed runs' }).getAttribute('href')).toBe(
    '/local/deployments/d/runs?status=failed&since=24h',
  )
})

test('one whose runs recovered, or are unknown, says nothing', () => {
  show([{ runs: 10, failed: 0 }], null)
  expect(screen.queryByRole('listitem')).toBeNull()
  cleanup()
  show(null, null)
  expect(screen.queryByRole('listitem')).toBeNull()
})

describe('what Home says when no runs are known to fail', () => {
  const health = { counts: { ok: 2, failing: 0, progress: 0, unknown: 0 }, isCut: false }
  const fleet = { rows: [], hasNext: false, health }
  const looked = { threads: 0, deployments: 1, isBusyOnly: true, isPartial: false, isPending: false, problems: [] }
  const whole = { rows: [], next: null, looked: { ...looked, traced: { deployments: 1, isPartial: false } } }
  const one = { id: 'r', deployment: 'd' }
  const fine = { d: { runs: { source: 'traces', runs: 9, failed: 1, hours: [{ runs: 99, failed: 1 }], p95: 1 } } }

  /** `rows`, `activity`: what came, or an error; nothing came yet if they are left out. */
  async function say({ rows, activity, failing = fleet }: { rows?: unknown; activity?: unknown; failing?: unknown }) {
    const client = new QueryClient({
      defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY, retryOnMount: false, retry: false } },
    })
    const give = (queryKey: QueryKey, value: unknown) =>
      client.prefetchQuery({
        queryKey,
        queryFn: () => {
          if (value instanceof Error) throw value
          return value
        },
      })
    vi.stubGlobal('fetch', () => new Promise(() => {}))
    await give(deploymentRowsQuery('local', FAILING).queryKey, failing)
    if (rows) await give(runRowsQuery('local', { status: 'failed', since: '24h', limit: 50 }).queryKey, rows)
    if (activity) await give(activityQuery('local', ['d']).queryKey, activity)
    render(
      <QueryClientProvider client={client}>
        <FleetSummary workspace="local" renderChange={() => null} />
      </QueryClientProvider>,
    )
    const panel = screen.getByRole('region', { name: 'Needs attention' })
    return within(panel)
      .getAllByRole('listitem')
      .map((item) => item.textContent)
  }

  test('a failed build is told with when it failed, or else when its revision was created', async () => {
    const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString()
    const latest = { id: 'l', status: 'BUILD_FAILED', at: ago(20) }
    const row = { id: 'd', name: 'harbour', status: 'READY', source: 'github', latest, active: null }
    const failing = {
      ...fleet,
      rows: [
        { ...row, latest: { ...latest, since: ago(8) } },
        { ...row, id: 'e' },
      ],
    }
    const [first, second] = await say({ failing, rows: whole })
    expect(first).toMatch(/Nothing is serving yet\. 8 min/)
    expect(second).toMatch(/Nothing is serving yet\. Created 20 min/)
  })

  test('a deployment whose runs fail is listed once, as such, also before its failed runs were read', async () => {
    const failing = { since: Date.now(), runs: 30, failed: 10 }
    const latest = { id: 'l', status: 'DEPLOYED', at: null }
    const row = { id: 'd', name: 'harbour', status: 'READY', source: 'github', latest, active: latest, failing }
    const told = [expect.stringMatching(/^Runs failharbour 33% of 30 runs failed since \d\d:\d\dFailed runsRevisions$/)]
    expect(await say({ failing: { ...fleet, rows: [row] } })).toEqual(told)
    cleanup()
    const runs = { source: 'traces', runs: 30, failed: 10, hours: [{ runs: 30, failed: 10 }], p95: 1 }
    const both = { failing: { ...fleet, rows: [row] }, rows: { ...whole, rows: [one] } }
    expect(await say({ ...both, activity: { d: { runs } } })).toHaveLength(1)
  })

  test.each([
    ['all were read', { rows: whole }, ['No deployment is failing.']],
    [
      'all were read, and few failed',
      { rows: { ...whole, rows: [one] }, activity: fine },
      ['No deployment is failing.'],
    ],
    ['only busy threads were looked at', { rows: { ...whole, looked } }, ['No deployment is known to fail.']],
    [
      'the rows could not be read',
      { rows: new Error() },
      ['UnknownFailed runs could not be readFailed runs', 'No deployment is known to fail.'],
    ],
    [
      'a server could not be read',
      { rows: { ...whole, looked: { ...whole.looked, problems: [{ deployment: 'd', message: 'No answer.' }] } } },
      ['UnknownFailed runs of some deployments could not be readFailed runs', 'No deployment is known to fail.'],
    ],
    [
      'a server has not answered yet',
      {
        rows: {
          ...whole,
          looked: { ...whole.looked, problems: [{ deployment: 'd', message: 'No answer yet.', isLate: true }] },
        },
      },
      [''],
    ],
    [
      'the activity could not be read',
      { rows: { ...whole, rows: [one] }, activity: new Error() },
      ['UnknownFailed runs could not be readFailed runs', 'No deployment is known to fail.'],
    ],
    [
      'the activity lacks a deployment',
      { rows: { ...whole, rows: [one] }, activity: {} },
      ['UnknownFailed runs of some deployments could not be readFailed runs', 'No deployment is known to fail.'],
    ],
    [
      'there are more failed runs',
      { rows: { ...whole, rows: [one], next: 'more' }, activity: fine },
      ['UnknownOnly the 50 newest failed runs were checkedFailed runs', 'No deployment is known to fail.'],
    ],
    ['the rows are being read', {}, ['']],
    ['the health could not be read in time', { rows: whole, failing: { ...fleet, health: null } }, ['']],
    ['the servers are being read', { rows: { ...whole, looked: { ...looked, isPending: true } } }, ['']],
    ['the activity is being read', { rows: { ...whole, rows: [one] } }, ['']],
  ])('%s', async (_, given, said) => {
    expect(await say(given)).toEqual(said)
  })
})
