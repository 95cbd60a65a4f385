import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { act, cleanup, fireEvent, render as renderAlone, screen } from '@testing-library/react'
import type { ReactNode } from 'react'
import { afterEach, expect, test, vi } from 'vitest'
import { browserClock } from '@/components/runs/view/browser-clock'
import { RunPlace } from '@/components/runs/view/run-place'
import { RunStore } from '@/components/runs/view/run-store'
import { modelCallsQuery } from '@/lib/queries/traces'
import type { RecordingSummary } from '@/lib/stream/log'
import { createRunView } from '@/lib/stream/run-view'
import { Lenses, OpenLens, RunLenses } from './run-lenses'

const search = vi.hoisted(() => ({ text: '' }))
vi.mock('next/navigation', () => ({
  ...{ useRouter: () => ({}), usePathname: () => '/', useSearchParams: () => new URLSearchParams(search.text) },
}))
afterEach(() => {
  cleanup()
  vi.restoreAllMocks()
  search.text = ''
})

const client = new QueryClient({ defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY } } })
const wrapper = ({ children }: { children: ReactNode }) => (
  <QueryClientProvider client={client}>{children}</QueryClientProvider>
)
const render = (shown: ReactNode) => renderAlone(shown, { wrapper })

test('a step that is open where a file ends is not said to run', async () => {
  const store = new RunStore(browserClock, createRunView())
  const summary = { id: 'one', request: '{}', startedAt: new Date(0).toISOString() } as RecordingSummary
  render(<OpenLens lens="steps" store={store} summary={summary} />)
  const data = JSON.stringify({ id: 't1', name: 'agent', input: {}, triggers: [] })
  store.feed.entries([{ seq: 1, at: 1, kind: 'event', event: 'tasks', data }], { total: 1, phase: 'live' })
  const row = await screen.findByRole('treeitem')
  expect(row.textContent).toContain('Running')
  store.finish()
  expect((await screen.findByTitle('The recording ends before this step did.')).textContent).toBe('–')
  expect(row.textContent).not.toContain('Running')
})

test('the axis of the steps is as long as the run took, and what arrived at once is not called measured', async () => {
  const store = new RunStore(browserClock, createRunView())
  const summary = { id: 'one', request: '{}', startedAt: new Date(1_000).toISOString() } as RecordingSummary
  render(<OpenLens lens="steps" store={store} summary={summary} />)
  const task = { id: 't1', name: 'tools' }
  const event = (seq: number, data: object) =>
    ({ seq, at: 5_000, kind: 'event', event: 'tasks', data: JSON.stringify(data) }) as const
  const final = { kind: 'final', outcome: 'success', startedAt: 1_000, endedAt: 10_600 } as const
  store.feed.entries(
    [
      { seq: 1, at: 1_040, kind: 'event', event: 'metadata', data: '{"run_id":"r"}' },
      event(2, { ...task, input: {}, triggers: [] }),
      event(3, { ...task, result: {}, interrupts: [] }),
      { ...final, seq: 4, at: 10_740, state: '{"values":{},"next":[]}' },
    ],
    { total: 4, phase: 'ended' },
  )
  expect(await screen.findByText('9.6 s')).toBeDefined()
  expect((await screen.findByRole('treeitem')).textContent).toContain('≈ 0 ms')
})

test('a step has the model calls of the trace, which a keyboard reaches, and those of an exported file are not asked for', async () => {
  const store = new RunStore(browserClock, createRunView())
  const summary = { id: 'one', workspace: 'w', run: 'r', request: '{}', startedAt: new Date(0).toISOString() } as const
  const metadata = { graph_checkpoint_ns: 'agent:t1', ls_model_name: 'small' }
  const times = { start_time: '2026-01-01T00:00:00Z', end_time: '2026-01-01T00:00:01.200Z' }
  const call = {
    id: 'c',
    trace_id: 'r',
    name: 'Model',
    run_type: 'llm',
    ...times,
    total_tokens: 445,
    extra: { metadata },
  }
  const task = { id: 't1', name: 'agent' }
  const event = (seq: number, data: object) =>
    ({ seq, at: seq, kind: 'event', event: 'tasks', data: JSON.stringify(data) }) as const
  store.feed.entries(
    [
      event(1, { ...task, input: {}, triggers: [] }),
      event(2, { ...task, result: {}, interrupts: [] }),
      { kind: 'final', outcome: 'success', endedAt: 2, seq: 3, at: 3, state: '{"values":{},"next":[]}' },
    ],
    { total: 3, phase: 'ended' },
  )
  const lens = <OpenLens lens="steps" store={store} summary={summary as unknown as RecordingSummary} />
  const fetched = vi.spyOn(globalThis, 'fetch')
  const { unmount } = render(lens)
  expect((await screen.findByRole('treeitem')).textContent).not.toContain('model call')
  expect(fetched).not.toHaveBeenCalled()
  unmount()
  client.setQueryData(modelCallsQuery('w', 'r').queryKey, { runs: [call] } as never)
  render(<RunPlace value={{ workspace: 'w', deploymentId: 'd', assistant: 'a', thread: 't' }}>{lens}</RunPlace>)
  const track = await screen.findByRole('treeitem')
  expect(track.textContent).toMatch(/^agent · 1 model call/)
  const tree = screen.getByRole('tree')
  for (const key of ['ArrowDown', 'Enter']) fireEvent.keyDown(tree, { key })
  expect(track.getAttribute('aria-expanded')).toBe('true')
  expect(screen.getAllByRole('treeitem').at(-1)?.textContent).toMatch(/^Model call: small1\.2 s445 tokens/)
  const link = screen.getByRole('link', { name: /the call in the trace/ })
  expect(link.getAttribute('href')).toBe('/w/deployments/d/traces/r?run=c')
  expect(fireEvent.keyDown(link, { key: 'Enter' })).toBe(true) // left to the link
})

test('a recording that cannot be read is not said to load', async () => {
  const store = new RunStore(browserClock, createRunView())
  render(<OpenLens lens="transcript" store={store} summary={{} as RecordingSummary} />)
  expect(screen.getByText('Loading recording…')).toBeDefined()
  store.feed.error({ code: 'internal', message: 'The object storage does not answer.' })
  expect(await screen.findByText('Nothing of the recording has been read yet.')).toBeDefined()
  expect(screen.queryByText('Loading recording…')).toBeNull()
})

test('a run that ended without messages leads to its steps', async () => {
  const store = new RunStore(browserClock, createRunView())
  render(<OpenLens lens="transcript" store={store} summary={{} as RecordingSummary} />)
  store.feed.entries(
    [{ seq: 1, at: 1, kind: 'final', outcome: 'success', state: '{"values":{},"next":[]}' } as never],
    {
      ...{ total: 1, phase: 'ended' },
    },
  )
  fireEvent.click(await screen.findByRole('button', { name: 'Show steps' }))
  expect(new URLSearchParams(location.search).get('lens')).toBe('steps')
})

test('a run that had ended without messages opens at its steps, as does one that fails meanwhile; others do not move', async () => {
  const shown = (phase: 'ended' | 'live', outcome: 'error' | 'success') => {
    const store = new RunStore(browserClock, createRunView())
    const summary = { phase, request: '{}', startedAt: new Date(0).toISOString() } as RecordingSummary
    const { unmount } = render(<Lenses store={store} summary={summary} />)
    const final = { seq: 1, at: 1, kind: 'final', outcome, state: '{"values":{},"next":[]}' }
    act(() => store.feed.entries([final as never], { total: 1, phase: 'ended' }))
    return { unmount, selected: () => screen.getByRole('tab', { selected: true }).textContent }
  }
  for (const [phase, outcome] of [
    ['ended', 'success'],
    ['live', 'error'],
  ] as const) {
    const one = shown(phase, outcome)
    await vi.waitFor(() => expect(one.selected()).toBe('Steps'))
    one.unmount()
  }
  const live = shown('live', 'success')
  expect(await screen.findByRole('button', { name: 'Show steps' })).toBeDefined()
  expect(live.selected()).toBe('Transcript')
})

test('where the times of steps are unknown, the trace that has them is offered, but not for an exported file', async () => {
  const shown = async (place?: { workspace: string; deploymentId: string; assistant: string; thread: null }) => {
    cleanup()
    const store = new RunStore(browserClock, createRunView())
    const summary = { id: 'one', run: 'r', request: '{}', startedAt: new Date(0).toISOString() } as RecordingSummary
    render(
      <RunPlace value={place}>
        <OpenLens lens="steps" store={store} summary={summary} />
      </RunPlace>,
    )
    const data = JSON.stringify({ agent: { said: 1 } })
    store.feed.entries([{ seq: 1, at: 1, kind: 'event', event: 'updates', data }], { total: 1, phase: 'live' })
    await screen.findByText(/^Start times are estimated/)
    return screen.queryByRole('link', { name: 'Times in the trace' })?.getAttribute('href')
  }
  expect(await shown({ workspace: 'w', deploymentId: 'd', assistant: 'a', thread: null })).toBe(
    '/w/deployments/d/traces/of-run/r',
  )
  expect(await shown()).toBeUndefined()
})

/** The empty Steps of a run that began at 1,000 ms; gives the store that fills them. */
function openSteps(): RunStore {
  cleanup()
  const store = new RunStore(browserClock, createRunView())
  const summary = { id: 'one', run: 'r', request: '{}', startedAt: new Date(1_000).toISOString() } as RecordingSummary
  render(
    <RunPlace value={{ workspace: 'w', deploymentId: 'd', assistant: 'a', thread: null }}>
      <OpenLens lens="steps" store={store} summary={summary} />
    </RunPlace>,
  )
  return store
}

test('the steps of a run that was recorded after its end say what is missing, and where it is', async () => {
  const shown = async (state: object) => {
    const store = openSteps()
    const final = { kind: 'final', outcome: 'error', startedAt: 1_000, endedAt: 3_000 } as const
    store.feed.entries(
      [
        { seq: 1, at: 9_000, kind: 'joined' },
        { ...final, seq: 2, at: 9_001, state: JSON.stringify(state) },
      ],
      { total: 2, phase: 'ended' },
    )
    expect((await screen.findByRole('link', { name: 'Steps in the trace' })).getAttribute('href')).toBe(
      '/w/deployments/d/traces/of-run/r',
    )
    return screen.getByText(/was recorded after its end/).textContent
  }
  expect(await shown({ values: {}, next: [] })).toMatch(/, so its steps are not in the recording\./)
  const task = { id: 't', name: 'pay', path: ['pay'], error: 'declined', interrupts: [], result: null }
  expect(await shown({ values: {}, next: ['pay'], tasks: [task] })).toMatch(/, so some of its steps are not in the/)
})

test('the steps of a run that was recorded after its end are those of its thread’s history, where it has them', async () => {
  const checkpoint = (id: string, at: number, more: object) => ({
    id,
    at,
    isOwn: true,
    source: 'loop',
    tasks: [],
    ...more,
  })
  const first = checkpoint('a', 1_200, { parent: null, step: -1, source: 'input', tasks: [{ id: 't', name: 'plan' }] })
  const last = checkpoint('b', 2_700, { parent: 'a', step: 0 })
  const shown = async (history: object[]) => {
    const store = openSteps()
    const final = { kind: 'final', outcome: 'success', startedAt: 1_000, endedAt: 3_000, seq: 2, at: 9_001 } as const
    const entries = [{ seq: 1, at: 9_000, kind: 'joined' } as const, { ...final, history: JSON.stringify(history) }]
    store.feed.entries(entries, { total: 2, phase: 'ended' })
    const link = await screen.findByRole('link', { name: 'Steps in the trace' })
    expect(link.getAttribute('href')).toBe('/w/deployments/d/traces/of-run/r')
    return screen.getByText(/recorded after its end/).textContent
  }
  const whole = await shown([last, first])
  expect(whole).toMatch(/Its steps are read from the thread’s history: times are those of its checkpoints/)
  expect(whole).not.toMatch(/missing/)
  const row = screen.getByRole('treeitem')
  expect(row.textContent).toContain('plan≈ 1.5 s')
  expect(screen.getByTitle('From the checkpoint before it to the one after it.')).toBeDefined()
  expect(screen.getByText('2.0 s')).toBeDefined() // the axis
  expect(
    await shown([checkpoint('d', 2_900, { parent: 'b', step: 1 }), { ...last, tasks: [{ id: 's', name: 'go' }] }]),
  ).toMatch(/These steps are read .* Some steps may be missing\./)
  expect(await shown([])).toMatch(/are not in the recording, and the thread’s history does not have them\./)
})

test('events are listed oldest or newest first, with the keys moving along what is shown', async () => {
  vi.spyOn(HTMLElement.prototype, 'clientHeight', 'get').mockReturnValue(400)
  const store = new RunStore(browserClock, createRunView())
  const lens = () => <OpenLens lens="events" store={store} summary={{} as RecordingSummary} />
  const { rerender } = render(lens())
  const entries = [1, 2, 3].map(
    (seq) => ({ seq, at: seq, kind: 'event', event: 'custom', data: `${seq * 111}` }) as const,
  )
  store.feed.entries(entries, { total: 3, phase: 'ended' })
  const shown = () => screen.getAllByRole('option').filter((one) => one.closest('[role=listbox]'))
  const numbers = () => shown().map(({ textContent }) => /^\d/.exec(textContent ?? '')?.[0])
  await screen.findByText('333')
  expect(numbers()).toEqual(['1', '2', '3'])
  search.text = 'order=newest&at=3'
  rerender(lens())
  expect(screen.getByRole('button', { name: 'Newest first', pressed: true })).toBeDefined()
  expect(numbers()).toEqual(['3', '2', '1'])
  expect(shown()[0]?.getAttribute('aria-selected')).toBe('true')
  fireEvent.keyDown(screen.getByRole('listbox', { name: 'Events' }), { key: 'ArrowDown' })
  expect(new URLSearchParams(window.location.search).get('at')).toBe('2')
})

test('a state that is about to be shown is not said to be missing', async () => {
  const store = new RunStore(browserClock, createRunView())
  const final = { seq: 1, at: 1, kind: 'final', outcome: 'success', state: '{"values":{"total":2},"next":[]}' } as const
  store.feed.entries([final], { total: 1, phase: 'ended' })
  await act(() => new Promise((resolve) => browserClock.nextFrame(() => resolve(undefined))))
  render(<OpenLens lens="state" store={store} summary={{} as RecordingSummary} />)
  expect(screen.queryByText(/No state/)).toBeNull()
  expect(await screen.findByText('total')).toBeDefined()
})

test('a replay that is closed gives the focus to the open lens', async () => {
  const store = new RunStore(browserClock, createRunView())
  store.feed.entries([{ seq: 1, at: 1, kind: 'final', outcome: 'success', state: '{"values":{},"next":[]}' }], {
    ...{ total: 1, phase: 'ended' },
  })
  const summary = { id: 'one', request: '{}', startedAt: new Date(0).toISOString() } as RecordingSummary
  search.text = 'replay=1&lens=request'
  const shown = <RunLenses store={store} summary={summary} />
  const { rerender } = render(shown)
  const close = await screen.findByRole('button', { name: 'Close replay' })
  close.focus()
  fireEvent.click(close)
  search.text = 'lens=request'
  rerender(<RunLenses store={store} summary={summary} />)
  expect(document.activeElement).toBe(screen.getByRole('tab', { name: 'Request', selected: true }))
})
