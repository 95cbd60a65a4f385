import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { act, cleanup, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { Rights } from '@/components/shared/layout/rights'
import { continueExperiment } from '@/lib/actions/experiments'
import { deploymentQuery } from '@/lib/queries/deployments'
import type { Experiment, Pair, Subject } from '@/lib/stream/experiments'
import { ExperimentPage } from './experiment-page'
import { experimentQuery } from './experiment-query'

vi.mock('@/lib/actions/experiments', () => ({ continueExperiment: vi.fn() }))
vi.mock('next/navigation', () => ({ useRouter: () => ({ push: vi.fn() }) }))
const continued = vi.mocked(continueExperiment)
afterEach(() => {
  cleanup()
  vi.clearAllMocks()
})

const subject = (name: string) =>
  ({ deployment: 'd', deploymentName: 'harbour', assistant: name, name, version: null, revision: null }) as const
const UNKNOWN = { firstTokenMs: null, tokensIn: null, tokensOut: null, cost: null, isEstimated: false }
const pair = (subject: number, input: number, output: string | undefined) =>
  ({
    ...{ subject, input, state: output === undefined ? 'failed' : 'ended', recording: null, error: null, checks: [] },
    ...{ thumb: null, note: '', ratedBy: null },
    result: output === undefined ? null : { outcome: 'success', error: null, output, latencyMs: 1, ...UNKNOWN },
  }) as unknown as Pair

const FIRST = '11111111-0000-4000-8000-000000000000'
const SECOND = '22222222-0000-4000-8000-000000000000'

function show(pairs: Pair[], inputs = 1, more: { subjects?: Subject[]; serving?: string } = {}) {
  const experiment = {
    ...{ id: 'e', name: 'Sums', createdBy: 'API', createdAt: '2026-11-25T10:00:00Z', checks: [], isRunning: false },
    ...{ isStopped: false, subjects: more.subjects ?? [subject('one'), subject('two')], pairs },
    inputs: Array(inputs).fill('{"n":1}'),
  }
  const client = new QueryClient({
    defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY, retry: false } },
  })
  if (more.serving)
    client.setQueryData(deploymentQuery('w', 'd').queryKey, { active_revision_id: more.serving } as never)
  client.setQueryData(experimentQuery('w', 'e').queryKey, experiment as unknown as Experiment)
  render(
    <QueryClientProvider client={client}>
      <Rights canRun canAdminister={false}>
        <ExperimentPage workspace="w" id="e" />
      </Rights>
    </QueryClientProvider>,
  )
  return { client }
}
const base = () => screen.getByRole<HTMLSelectElement>('combobox', { name: 'Differences from' })

test('a run that was refused is not done', () => {
  show([pair(0, 0, 'It is 42.'), pair(1, 0, undefined)])
  expect(screen.getByText('1 of 2 runs done')).toBeTruthy()
  expect(screen.getByText(/^1 run was refused\./)).toBeTruthy()
})

test('differences from the first column are marked until another choice', () => {
  show([pair(0, 0, 'It is 42 now.'), pair(1, 0, 'It is 43 now.')])
  expect(document.querySelector('ins')?.textContent).toBe('43')
  fireEvent.change(base(), { target: { value: '' } })
  expect(document.querySelector('ins')).toBeNull()
})

test('of many inputs they are marked on request', () => {
  show([pair(0, 0, 'It is 42 now.'), pair(1, 0, 'It is 43 now.')], 21)
  expect(document.querySelector('ins')).toBeNull()
  fireEvent.change(base(), { target: { value: '0' } })
  expect(document.querySelector('ins')?.textContent).toBe('43')
})

test('results that cannot be read any more say so, and since when', async () => {
  const { client } = show([pair(0, 0, 'It is 42.'), pair(1, 0, 'It is 42.')])
  const error = { code: 'upstream_unreachable', message: 'The console cannot be reached.', fields: [], requestId: '' }
  vi.stubGlobal('fetch', async () => Response.json(error, { status: 503 }))
  await act(() => client.refetchQueries())
  expect((await screen.findByText(/^The console cannot be reached\./)).textContent).toMatch(/No answer since \S+/)
  expect(screen.getByText('2 of 2 runs done')).toBeTruthy()
  vi.unstubAllGlobals()
})

const pinned = (name: string, revision: string): Subject => ({ ...subject(name), revision, isPinned: true })
const waiting = { ...pair(0, 0, undefined), state: 'waiting' } as Pair
const subjects = [pinned('one', FIRST), pinned('two', SECOND)]
const run = () => screen.getByRole('button', { name: 'Run' })

test('a column whose revision does not serve says what it waits for, and is not called interrupted', () => {
  show([waiting, pair(1, 0, 'It is 42.')], 1, { subjects, serving: SECOND })
  expect(
    screen.getByText('Runs when revision 11111111 is serving. Now it is revision 22222222.', { exact: false }),
  ).toBeTruthy()
  expect(screen.getByText('Waiting for its revision')).toBeTruthy()
  expect(screen.queryByText(/not started/)).toBeNull()
  expect(screen.queryByRole('button', { name: 'Start the rest' })).toBeNull()
  fireEvent.click(run())
  expect(continued).not.toHaveBeenCalled()
})

test('it runs once its revision serves, and says why it was refused', async () => {
  const error = { code: 'conflict' as const, message: 'harbour does not serve it now.', fields: [], requestId: '' }
  continued.mockResolvedValue({ ok: false, error })
  show([waiting, pair(1, 0, 'It is 42.')], 1, { subjects, serving: FIRST })
  fireEvent.click(run())
  expect(await screen.findByText('harbour does not serve it now.')).toBeTruthy()
  expect(continued).toHaveBeenCalledWith({ workspace: 'w', id: 'e' })
})

test('a deployment that cannot be read leaves unknown which revision serves', async () => {
  const error = { code: 'upstream_unreachable', message: 'It cannot be reached.', fields: [], requestId: '' }
  vi.stubGlobal('fetch', async () => Response.json(error, { status: 503 }))
  show([waiting, pair(1, 0, 'It is 42.')], 1, { subjects })
  expect(await screen.findByText(/Which one serves now is unknown\./)).toBeTruthy()
  vi.unstubAllGlobals()
})

const result = (of: Pair, more: object) => ({ ...of, result: { ...of.result, ...more } }) as Pair

test('results of an earlier run say so, and since when', () => {
  const reused = result(pair(0, 0, 'It is 42.'), { isReused: true, startedAt: '2026-11-20T10:00:00Z', revision: FIRST })
  show([reused, pair(1, 0, 'It is 42.')], 1, { subjects, serving: SECOND })
  expect(screen.getAllByRole('columnheader')[1]?.textContent).toMatch(/Results of .*, not run again/)
  expect(screen.getAllByText(/not run again/)).toHaveLength(2)
})

test('a cell names its revision where that is another one or unknown, and the column marks one that is inferred', () => {
  const own = [subject('one'), subject('two'), subject('three')].map((one) => ({ ...one, revision: FIRST }))
  const pairs = [
    result(pair(0, 0, 'a'), { revision: SECOND }),
    result(pair(1, 0, 'b'), { revision: null }),
    pair(2, 0, 'c'),
  ]
  show(pairs, 1, { subjects: own })
  expect(
    screen.getAllByRole('cell').map((cell) => /revision (unknown|\d{8})/.exec(cell.textContent ?? '')?.[0]),
  ).toEqual(['revision 22222222', 'revision unknown', undefined])
  const heads = screen.getAllByRole('columnheader').slice(1)
  expect(heads.map(({ textContent }) => textContent?.includes('≈'))).toEqual([false, false, true])
})
