import { cleanup, render, screen } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'
import { Shortcuts } from './shortcuts'

afterEach(cleanup)

const show = (role: 'developer' | 'admin', limitedTo?: number) =>
  render(<Shortcuts current={{ slug: 'local', role, limitedTo }} help="/docs" onClose={() => undefined} />)

test('only the sections that someone may open have a key', () => {
  show('admin')
  expect(screen.getByText(/Go to Home/).textContent).toContain('A: Audit')
  cleanup()
  show('developer', 1)
  const keys = screen.getByText(/Go to Home/).textContent
  expect(keys).toContain('R: Runs')
  for (const hidden of ['Home,', 'Audit', 'Members', 'Alerts']) expect(keys).not.toContain(hidden)
})
