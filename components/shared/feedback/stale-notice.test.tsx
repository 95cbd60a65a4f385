import { cleanup, render, screen } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'
import { BelowNotice, StaleNotice } from './stale-notice'

afterEach(cleanup)

test.each([
  ['tracing server at http://a', 'cannot be reached', 1],
  ['tracing server at http://a', 'did not respond', 2],
  ['tracing server at http://b', 'cannot be reached', 2],
])('below a control plane that cannot be reached, a %s that %s is said in %i notices', (server, what, notices) => {
  const stale = { message: 'The control plane at http://a cannot be reached.', at: 0 }
  render(
    <>
      <StaleNotice {...stale} onRetry={() => {}} />
      <BelowNotice stale={stale}>
        <StaleNotice message={`The ${server} ${what}.`} at={0} onRetry={() => {}} />
      </BelowNotice>
    </>,
  )
  expect(screen.getAllByRole('status')).toHaveLength(notices)
})
