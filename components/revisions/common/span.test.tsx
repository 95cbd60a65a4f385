import { cleanup, render, screen } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'
import { BelowNotice } from '@/components/shared/feedback/stale-notice'
import { SpanText } from './span'

afterEach(cleanup)

test('an open span counts on only while what it is of is read', () => {
  const from = Date.now() - 5 * 60_000
  const stale = { message: 'The control plane cannot be reached.', at: from + 2 * 60_000 }
  const { rerender } = render(<SpanText span={{ from, to: null }} />)
  expect(screen.getByText('5 m 00 s so far')).toBeTruthy()
  rerender(
    <BelowNotice stale={stale}>
      <BelowNotice stale={undefined}>
        <SpanText span={{ from, to: null }} />
      </BelowNotice>
    </BelowNotice>,
  )
  expect(screen.getByText('2 m 00 s when last read')).toBeTruthy()
})
