import { cleanup, render, screen } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'
import { EventRow } from './event-row'

afterEach(cleanup)

test('an entry that is a moment before the first one has no negative time', () => {
  render(
    <EventRow
      id="e"
      entry={{ kind: 'final', seq: 2, at: 999, outcome: 'success', reason: null } as never}
      startedAt={1_000}
      isSelected={false}
      onSelect={() => {}}
      onUnfold={() => {}}
    />,
  )
  expect(screen.getByText('+0.00 s')).toBeTruthy()
})
