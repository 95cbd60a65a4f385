// @vitest-environment jsdom
import { cleanup, render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { TourOffer } from './tour-offer'

const show = () =>
  render(
    <>
      <nav aria-label="Main">
        <a href="/w/deployments">Deployments</a>
        <a href="/w/runs">Runs</a>
        <a href="/w/inbox" hidden>
          Inbox
        </a>
      </nav>
      <main id="main" tabIndex={-1}>
        <TourOffer />
      </main>
    </>,
  )

beforeEach(() => {
  // jsdom draws nothing: everything that is not hidden has a place.
  vi.spyOn(Element.prototype, 'getClientRects').mockImplementation(function (this: Element) {
    return (this.closest('[hidden]') ? [] : [new DOMRect()]) as unknown as DOMRectList
  })
  Element.prototype.scrollIntoView = () => {}
})
afterEach(() => {
  cleanup()
  // biome-ignore lint/suspicious/noDocumentCookie: as the component sets it.
  document.cookie = 'pilothouse-tour=; max-age=0; path=/'
})

test('shows the places that can be seen, one after the other, by keyboard alone', async () => {
  show()
  await userEvent.click(screen.getByRole('button', { name: 'Show me around' }))
  await screen.findByRole('dialog', { name: 'Deployments' })
  expect(screen.getByText('1 of 2')).toBeTruthy()
  await userEvent.keyboard('{Enter}')
  await screen.findByRole('dialog', { name: 'Runs' })
  await userEvent.click(screen.getByRole('button', { name: 'Back' }))
  await screen.findByRole('dialog', { name: 'Deployments' })
  await userEvent.keyboard('{Escape}')
  expect(screen.queryByRole('dialog')).toBeNull()
  expect(document.activeElement?.id).toBe('main')
})

test('is not offered again in this browser', async () => {
  show()
  await userEvent.click(screen.getByRole('button', { name: 'Dismiss' }))
  expect(screen.queryByText(/New here/)).toBeNull()
  expect(document.cookie).toContain('pilothouse-tour=1')
})
