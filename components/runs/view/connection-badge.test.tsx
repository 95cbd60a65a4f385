import { act, cleanup, render, screen } from '@testing-library/react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { ConnectionState } from '@/lib/live/connection'
import { createRunView } from '@/lib/stream/run-view'
import { browserClock } from './browser-clock'
import { ConnectionBadge } from './connection-badge'
import { RunStore } from './run-store'

let state: ConnectionState
vi.mock('@/lib/live/client', () => ({ connection: { subscribe: () => () => {}, get: () => state } }))
beforeEach(() => {
  state = 'live'
})
afterEach(cleanup)

type Shown = { isFile?: boolean; isEnded?: boolean; total?: number; problem?: string }

/** The badge of a page that has no entry yet, of the `total` that the server told of. */
function open({ isFile = false, isEnded = false, total = 0, problem }: Shown = {}) {
  const store = new RunStore(browserClock, createRunView())
  store.total = total
  if (problem) act(() => store.feed.error({ code: 'not_found', message: problem }))
  const { container } = render(<ConnectionBadge store={store} isFile={isFile} isEnded={isEnded} />)
  return container.firstElementChild as HTMLElement
}

test('a session that ended does not end the run', () => {
  state = 'ended'
  const badge = open({ problem: 'You no longer have access to this workspace.' })
  expect(badge.textContent).toBe('Session ended')
  expect(badge.title).toBe('Sign in again to see how the run goes on. The recording continues.')
  expect(screen.queryByText('Ended')).toBeNull()
})

test('a page that is refused says why, and not that its session ended', () => {
  state = { refused: 'Choose a new password first: reload the page.' }
  const badge = open()
  expect([badge.textContent, badge.title]).toEqual(['Not up to date', 'Choose a new password first: reload the page.'])
})

test('a right that was withdrawn is told as such', () => {
  const badge = open({ problem: 'This does not exist, or you have no access to it.' })
  expect([badge.textContent, badge.title]).toEqual([
    'Not up to date',
    'This does not exist, or you have no access to it.',
  ])
})

test('a file needs no session', () => {
  state = 'ended'
  expect(open({ isFile: true }).textContent).toBe('Replaying 0 of 0')
})

test('a run that has ended is not live while its recording is read', () => {
  expect(open({ isEnded: true }).textContent).toBe('Loading')
  expect(open({ isEnded: true, total: 5 }).textContent).toBe('Replaying 0 of 5')
  expect(open().textContent).toBe('Live')
})
