import { cleanup, render, waitFor } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'
import { usePageTitle, usePlaceTitle } from './page-title'

afterEach(cleanup)

function Page({ title, place }: { title?: string; place?: string }) {
  usePageTitle(title)
  usePlaceTitle(place)
  return null
}
const is = (title: string) => waitFor(() => expect(document.title).toBe(title))

test('a tab is named after what its page shows, and its deployment', async () => {
  document.title = 'Run · Pilothouse'
  const { rerender, unmount } = render(<Page />)
  await is('Run · Pilothouse')
  rerender(<Page place="harbour" />)
  await is('Run · harbour · Pilothouse')
  rerender(<Page place="harbour" title={'Failed · chat: one\n two'} />)
  await is('Failed · chat: one two · harbour · Pilothouse')
  unmount()
  await is('Run · Pilothouse')
})

test('the title of the next page is kept, whichever comes first', async () => {
  document.title = 'Trace · Pilothouse'
  const { rerender, unmount } = render(<Page title="Refund" />)
  document.title = 'Traces · Pilothouse'
  await is('Refund · Pilothouse')
  rerender(<Page title="Refund again" />)
  await is('Refund again · Pilothouse')
  unmount()
  await is('Traces · Pilothouse')
  document.title = 'Runs · Pilothouse'
  render(<Page title="" />)
  await is('Runs · Pilothouse')
})

test('a long name that is cut at a space is set once, though the document joins spaces', async () => {
  document.title = 'Run · Pilothouse'
  const name = 'x'.repeat(78)
  const property = Object.getOwnPropertyDescriptor(Document.prototype, 'title') as Required<PropertyDescriptor>
  const titles: string[] = []
  Object.defineProperty(document, 'title', {
    configurable: true,
    get: () => property.get.call(document),
    set(title: string) {
      titles.push(title)
      // Without an end, it would also hold the test.
      if (titles.length < 10) property.set.call(document, title)
    },
  })
  const { unmount } = render(<Page title={`${name} and more`} place="harbour" />)
  await is(`${name}… · harbour · Pilothouse`)
  expect(titles.length).toBeLessThan(5)
  unmount()
  Reflect.deleteProperty(document, 'title')
})
