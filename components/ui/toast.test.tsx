import { act, cleanup, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Toaster, toast } from './toast'

/** Test files share this module, so another file's toasts can still be there: they leave only while a Toaster shows them. */
function removeToasts() {
  render(<Toaster />)
  act(() => void vi.runAllTimers())
  cleanup()
}
beforeEach(() => {
  vi.useFakeTimers()
  removeToasts()
})
afterEach(() => {
  cleanup()
  removeToasts()
  vi.useRealTimers()
})

test('appears in an existing live region, and disappears after a while', () => {
  render(<Toaster />)
  const region = screen.getByRole('status')
  act(() => toast.success('Saved.'))
  expect(region.textContent).toBe('Saved.')
  act(() => void vi.advanceTimersByTime(6_000))
  expect(region.textContent).toBe('')
})

test('stays while hovered or focused, and can be dismissed', () => {
  render(<Toaster />)
  act(() => toast.warning('The stored keys were dropped.'))
  const notice = screen.getByText('The stored keys were dropped.').parentElement as HTMLElement
  fireEvent.pointerEnter(notice)
  act(() => void vi.advanceTimersByTime(60_000))
  expect(screen.getByRole('status').textContent).toBe('The stored keys were dropped.')
  fireEvent.click(screen.getByRole('button', { name: 'Dismiss' }))
  expect(screen.getByRole('status').textContent).toBe('')
})

test('shows at most three; the oldest is removed', () => {
  render(<Toaster />)
  act(() => {
    for (const text of ['one', 'two', 'three', 'four']) toast.success(text)
  })
  expect(screen.getByRole('status').textContent).toBe('twothreefour')
})
