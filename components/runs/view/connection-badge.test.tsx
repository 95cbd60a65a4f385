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

/** The badge of a run that goes on. */
function open({ isFile = false, problem }: { isFile?: boolean; problem?: string } = {}) {
  const store = new RunStore(browserClock, createRunView())
  if (problem) act(() => store.feed.error({ code: 'not_found', message: problem }))
  return render(<ConnectionBadge store={store} isFile={isFile} />).container.firstElementChild as HTMLElement
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
