import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { browserClock } from '@/components/runs/view/browser-clock'
import { RunStore } from '@/components/runs/view/run-store'
import type { RecordingSummary } from '@/lib/stream/log'
import { createRunView } from '@/lib/stream/run-view'
import { OpenLens } from './run-lenses'

vi.mock('next/navigation', () => ({
  ...{ useRouter: () => ({}), usePathname: () => '/', useSearchParams: () => new URLSearchParams() },
}))
afterEach(cleanup)

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
