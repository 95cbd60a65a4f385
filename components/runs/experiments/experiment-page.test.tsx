import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { act, cleanup, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import type { Experiment, Pair } from '@/lib/stream/experiments'
import { ExperimentPage } from './experiment-page'
import { experimentQuery } from './experiment-query'

vi.mock('@/lib/actions/experiments', () => ({}))
vi.mock('next/navigation', () => ({ useRouter: () => ({ push: vi.fn() }) }))
afterEach(cleanup)

const subject = (name: string) =>
  ({ deployment: 'd', deploymentName: 'harbour', assistant: name, name, version: null, revision: null }) as const
const UNKNOWN = { firstTokenMs: null, tokensIn: null, tokensOut: null, cost: null, isEstimated: false }
const pair = (subject: number, input: number, output: string | undefined) =>
  ({
    ...{ subject, input, state: output === undefined ? 'failed' : 'ended', recording: null, error: null, checks: [] },
    ...{ thumb: null, note: '', ratedBy: null },
    result: output === undefined ? null : { outcome: 'success', error: null, output, latencyMs: 1, ...UNKNOWN },
  }) as unknown as Pair

function show(pairs: Pair[], inputs = 1) {
  const experiment = {
    ...{ id: 'e', name: 'Sums', createdBy: 'API', createdAt: '2026-11-25T10:00:00Z', checks: [], isRunning: false },
    ...{ isStopped: false, subjects: [subject('one'), subject('two')], inputs: Array(inputs).fill('{"n":1}'), pairs },
  }
  const client = new QueryClient({
    defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY, retry: false } },
  })
  client.setQueryData(experimentQuery('w', 'e').queryKey, experiment as unknown as Experiment)
  render(
    <QueryClientProvider client={client}>
      <ExperimentPage workspace="w" id="e" />
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
