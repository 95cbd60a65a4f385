import { cleanup, render, screen } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'
import { useFocusInPage } from './use-focus-in-page'

afterEach(cleanup)

function Page({ at, link = false }: { at: string; link?: boolean }) {
  useFocusInPage(at)
  return (
    <>
      <nav>
        <button type="button">Runs</button>
      </nav>
      <main id="main" tabIndex={-1}>
        {link ? <a href="/b">To b</a> : null}
      </main>
    </>
  )
}

test('a page that comes has the focus, if what led to it has gone', () => {
  const { rerender } = render(<Page at="/a" link />)
  expect(document.activeElement).toBe(document.body) // nobody asked for it on the first page
  screen.getByRole('link').focus()
  rerender(<Page at="/b" />)
  expect(document.activeElement).toBe(screen.getByRole('main'))
})

test('a link that is still there keeps the focus', () => {
  const { rerender } = render(<Page at="/a" />)
  screen.getByRole('button').focus()
  rerender(<Page at="/b" />)
  expect(document.activeElement).toBe(screen.getByRole('button'))
})
