import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'
import { VirtualFeed } from './virtual-feed'

afterEach(cleanup)

const feed = (isHeld: boolean) => (
  <VirtualFeed label="Messages" count={2} keyOf={String} row={String} empty={null} isLive={false} isHeld={isHeld} />
)

test('a jump to the end is not offered while someone writes in a row, because it would cover what is written', () => {
  const { rerender } = render(feed(false))
  const list = screen.getByRole('region', { name: 'Messages' })
  Object.defineProperties(list, { scrollHeight: { value: 1000 }, clientHeight: { value: 100 } })
  for (const top of [500, 100]) {
    list.scrollTop = top
    fireEvent.scroll(list)
  }
  expect(screen.queryByRole('button', { name: 'Jump to end' })).not.toBeNull()
  rerender(feed(true))
  expect(screen.queryByRole('button', { name: 'Jump to end' })).toBeNull()
  rerender(feed(false))
  expect(screen.queryByRole('button', { name: 'Jump to end' })).not.toBeNull()
})
