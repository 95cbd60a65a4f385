import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'
import { VirtualFeed } from './virtual-feed'

afterEach(cleanup)

const feed = (isHeld: boolean) => (
  <VirtualFeed label="Messages" count={2} keyOf={String} row={String} empty={null} isLive={false} isHeld={isHeld} />
)

/** Scrolls up from the end. */
function leaveEnd(list: HTMLElement) {
  Object.defineProperties(list, { scrollHeight: { value: 1000 }, clientHeight: { value: 100 } })
  for (const top of [500, 100]) {
    list.scrollTop = top
    fireEvent.scroll(list)
  }
}

test('the jump to the end leaves the focus with the list, because the button goes', () => {
  render(feed(false))
  const list = screen.getByRole('region', { name: 'Messages' })
  leaveEnd(list)
  const jump = screen.getByRole('button', { name: 'Jump to end' })
  jump.focus()
  fireEvent.click(jump)
  expect(jump.isConnected).toBe(false)
  expect(document.activeElement).toBe(list)
})

test('a jump to the end is not offered while someone writes in a row, because it would cover what is written', () => {
  const { rerender } = render(feed(false))
  leaveEnd(screen.getByRole('region', { name: 'Messages' }))
  expect(screen.queryByRole('button', { name: 'Jump to end' })).not.toBeNull()
  rerender(feed(true))
  expect(screen.queryByRole('button', { name: 'Jump to end' })).toBeNull()
  rerender(feed(false))
  expect(screen.queryByRole('button', { name: 'Jump to end' })).not.toBeNull()
})
