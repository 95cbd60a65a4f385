import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { act, cleanup, render, screen } from '@testing-library/react'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { Rights } from '@/components/shared/layout/rights'
import type { RunRow } from '@/lib/contracts/agents/run-row'
import { consoleFetch } from '@/lib/queries/relay-fetch'
import { type LogEntry, RECORDING_KEY, type RecordingSummary } from '@/lib/stream/log'
import { createRunView } from '@/lib/stream/run-view'
import { browserClock } from './browser-clock'
import { RunFigures } from './run-figures'
import { RunStore } from './run-store'

vi.mock('@/lib/queries/relay-fetch', () => ({ consoleFetch: vi.fn() }))
const fetched = vi.mocked(consoleFetch)
afterEach(() => {
  cleanup()
  vi.clearAllMocks()
  vi.useRealTimers()
})

const STARTED = Date.parse('2026-11-24T10:00:30Z')
const ENDED = STARTED + 4_000
const summary = {
  ...{ id: 'rec', workspace: 'w', deployment: 'd', thread: 't', run: 'r', phase: 'ended', outcome: 'success' },
  ...{ startedAt: new Date(STARTED).toISOString(), endedAt: new Date(ENDED).toISOString(), request: '{}' },
} as RecordingSummary
const own = { ...summary, request: JSON.stringify({ metadata: { [RECORDING_KEY]: 'rec' } }) }
const live = { ...summary, phase: 'live', outcome: null, endedAt: null } as RecordingSummary

const answer = (row: Partial<RunRow> = {}, problems: object[] = []) =>
  fetched.mockResolvedValue({ rows: [{ run: 'r', ...row }], next: null, looked: { isPending: false, problems } })

/** The header of a run whose recording tells of `recorded` tokens. `end` is the arrival of the recording's end. */
function open(of: RecordingSummary, { recorded = 0, isFile = false, hasTraces = true } = {}) {
  const store = new RunStore(browserClock, createRunView())
  store.view.transcript.usage = { input: recorded, output: 0, total: recorded }
  const times = { startedAt: STARTED, endedAt: ENDED, beganAt: STARTED }
  if (recorded > 0) store.view.final = { seq: 9, at: ENDED, kind: 'final', outcome: 'success', ...times }
  const page = () => (
    <QueryClientProvider client={client}>
      <Rights canRun canAdminister hasTraces={hasTraces}>
        <RunFigures summary={of} serverNow={ENDED} store={store} isCancelling={false} isFile={isFile} />
      </Rights>
    </QueryClientProvider>
  )
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } })
  const { rerender } = render(page())
  const end = (startedAt = STARTED) => {
    const times = { startedAt, endedAt: ENDED, beganAt: STARTED }
    store.view.final = { seq: 9, at: ENDED, kind: 'final', outcome: 'success', ...times }
    of = { ...of, startedAt: new Date(startedAt).toISOString() }
    rerender(page())
  }
  /** The first token arrives. */
  const first = (at: number) => {
    store.view.firstTokenAt = at
    rerender(page())
  }
  const read = (entries: LogEntry[], phase: 'live' | 'ended', total = entries.at(-1)?.seq ?? 0) => {
    store.feed.entries(entries, { total, phase })
    if (phase === 'ended') store.finish()
  }
  return { end, first, read }
}
const shown = (label: string) => {
  const figure = screen.getByText(label).parentElement
  return [figure?.lastElementChild?.textContent, figure?.title]
}

test('a run that was started elsewhere shows what its trace tells, as the list of runs does', async () => {
  answer({ trace: 'ended', firstTokenMs: 1_200, tokens: 445 })
  open(summary, { recorded: 40 })
  // Provisional until the trace is read.
  expect(shown('Tokens')).toEqual(['≈ 40', 'Reported by the models, as the console received it: 40 in, 0 out.'])
  expect(shown('First token')).toEqual(['…', 'Reading the trace.'])
  await screen.findByText('445')
  expect(shown('First token')).toEqual(['1.2 s', 'Time to the first model output, from the trace.'])
  expect(shown('Tokens')).toEqual(['445', 'Reported by the models, from the trace.'])
  const asked = new URL(fetched.mock.calls[0]?.[0] ?? '', 'http://console')
  expect(Object.fromEntries(asked.searchParams)).toEqual({
    ...{ deployment: 'd', runs: 'r', depth: '1', limit: '1' },
    ...{ since: '2026-11-24T09:59:00.000Z', until: '2026-11-24T10:02:00.000Z' },
  })
})

test('a run that this console started shows the same as the list of runs, and until its trace tells, what was received', async () => {
  answer({ trace: 'open' })
  const { end, first } = open({ ...own, phase: 'live', outcome: null, endedAt: null })
  first(STARTED + 183)
  expect(shown('First token')).toEqual(['≈ 183 ms', 'Time to the first model output, as the console received it.'])
  answer({ trace: 'ended', firstTokenMs: 86, tokens: 445, tokensIn: 400, tokensOut: 45 })
  end()
  await screen.findByText('86 ms')
  expect(shown('Tokens')).toEqual(['445', 'Reported by the models, from the trace: 400 in, 45 out.'])
})

test('without a trace, a figure stays what it was when the run ended', () => {
  const { end, first } = open(own, { hasTraces: false })
  first(STARTED + 183)
  // The server's clock has the run begin later.
  end(STARTED + 77)
  expect(shown('First token')[0]).toBe('≈ 183 ms')
})

test('the beginning of the log of an ended run does not tell what its models took', () => {
  const { first, end } = open(own, { hasTraces: false })
  first(STARTED + 183)
  expect(shown('First token')[0]).toBe('–')
  end()
  expect(shown('First token')[0]).toBe('≈ 183 ms')
})

test('what a trace does not tell comes from the recording, or is unknown with the reason', async () => {
  answer({}, [{ deployment: '', message: 'It did not respond.' }])
  open(summary, { recorded: 40 })
  await screen.findByTitle('Unknown: the trace could not be read. It did not respond.')
  expect(shown('Tokens')).toEqual(['≈ 40', 'Reported by the models, as the console received it: 40 in, 0 out.'])
  expect(shown('First token')[0]).toBe('–')
})

test('after the end of a run its figures are read again until its trace has ended', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true, now: ENDED })
  answer({ trace: 'open', tokens: 100 })
  const { end } = open(live)
  await screen.findByText('≈ 100')
  end()
  await act(() => vi.advanceTimersByTimeAsync(100))
  answer({ trace: 'ended', tokens: 445 })
  await act(() => vi.advanceTimersByTimeAsync(3_000))
  expect(shown('Tokens')[0]).toBe('445')
  const asked = fetched.mock.calls.length
  await act(() => vi.advanceTimersByTimeAsync(60_000))
  expect(fetched).toHaveBeenCalledTimes(asked)
})

test.each([
  ['a file or a public link', summary, { isFile: true }],
  ['a workspace without a tracing server', summary, { hasTraces: false }],
])('nothing is asked for %s', async (_, of, more) => {
  open(of, { recorded: 40, ...more })
  await screen.findByText('≈ 40')
  expect(shown('First token')[0]).toBe('–')
  expect(fetched).not.toHaveBeenCalled()
})

test('the duration of a run that ended at an unknown time is unknown', async () => {
  open({ ...own, endedAt: null })
  await screen.findByText('Finished')
  expect(shown('Duration')[0]).toBe('–')
})

describe('a file without the end of its run', () => {
  const EVENT = { seq: 1, at: STARTED + 1_000, kind: 'event', event: 'metadata', data: '{}' } as const
  const fromFile = { ...live, endedAt: summary.endedAt }

  test('shows where it ends, and neither a status, a duration nor a connection', async () => {
    const { read } = open(fromFile, { isFile: true })
    read([EVENT], 'ended')
    const status = await screen.findByText('Unknown')
    expect(status.title).toBe('The file ends before the run did.')
    expect(screen.getByText('File ends before the run')).toBeTruthy()
    expect(screen.getByText('Last entry').parentElement?.querySelector('time')?.dateTime).toBe(
      new Date(EVENT.at).toISOString(),
    )
    for (const untrue of [/Running/, 'Duration', /Connecting/]) expect(screen.queryByText(untrue)).toBeNull()
  })

  test('is not one while it is being read', async () => {
    const { read } = open(fromFile, { isFile: true })
    read([EVENT], 'live', 3)
    await screen.findByText('Replaying 1 of 3')
    expect(screen.getByText('Loading…')).toBeTruthy()
    const final = { seq: 3, at: ENDED, kind: 'final', outcome: 'success' } as const
    read([{ ...EVENT, seq: 2 }, final], 'ended')
    await screen.findByText('Finished')
    expect(screen.getByText('Recorded')).toBeTruthy()
    expect(shown('Duration')[0]).toBe('4.0 s')
  })
})
