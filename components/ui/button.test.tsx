import { render, screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { Button } from './button'

test('a link gets the looks of a button and keeps its own props', () => {
  render(
    <Button asChild size="sm" title="of the button" aria-label="Open">
      <a href="/runs" title="of the link" className="max-sm:hidden">
        Runs
      </a>
    </Button>,
  )
  const link = screen.getByRole('link', { name: 'Open' })
  expect(screen.queryByRole('button')).toBeNull()
  expect([link.getAttribute('href'), link.title, link.textContent]).toEqual(['/runs', 'of the link', 'Runs'])
  expect(link.className).toMatch(/inline-flex.* max-sm:hidden$/)
})
