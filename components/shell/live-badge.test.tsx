import { cleanup, render, screen } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import type { ConnectionState } from '@/lib/live/connection'
import { LiveBadge } from './live-badge'

let state: ConnectionState
vi.mock('@/lib/live/client', () => ({
  connection: { subscribe: () => () => {}, get: () => state, getFreshness: () => 'current' },
}))
afterEach(cleanup)

test('a page that is refused says why and offers to reload, and an ended session to sign in', () => {
  state = { refused: 'Choose a new password first: reload the page.' }
  render(<LiveBadge />)
  expect(screen.getByRole('button', { name: 'Choose a new password first: reload the page.' })).toBeTruthy()
  expect(screen.queryByText(/Session ended/)).toBeNull()
  cleanup()
  state = 'ended'
  render(<LiveBadge />)
  expect(screen.getByRole('button', { name: 'Session ended. Sign in' })).toBeTruthy()
})
