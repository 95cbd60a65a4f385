import { act } from '@testing-library/react'
import { PathnameContext } from 'next/dist/shared/lib/hooks-client-context.shared-runtime'
import { type ComponentType, createContext, lazy, startTransition, use, useState } from 'react'
import { hydrateRoot } from 'react-dom/client'
import { renderToString } from 'react-dom/server'
import { expect, test } from 'vitest'
import { PageBoundary } from './page-boundary'

const Path = createContext('')
let go = (_path: string) => {}
let arrive = () => {}
const Address = () => <i>{use(Path)}</i>
const Page = () => <b>{use(Path)}</b>
const never = new Promise<null>(() => {})
const Slow = () => (use(Path) === '/slow' ? use(never) : null)

/** A frame that shows the address, and a page whose code may arrive later. */
function Frame({ Code }: { Code: ComponentType }) {
  const [path, setPath] = useState('/home')
  go = (to) => startTransition(() => setPath(to))
  return (
    <PathnameContext value={path}>
      <Path value={path}>
        <Address />
        <PageBoundary fallback=" loads">
          <Page />
          <Code />
        </PageBoundary>
      </Path>
    </PathnameContext>
  )
}

async function open() {
  const place = document.createElement('div')
  place.innerHTML = renderToString(<Frame Code={Slow} />)
  const Late = lazy(() => new Promise<{ default: typeof Slow }>((done) => (arrive = () => done({ default: Slow }))))
  const discarded: unknown[] = []
  await act(async () => hydrateRoot(place, <Frame Code={Late} />, { onRecoverableError: (one) => discarded.push(one) }))
  expect(place.textContent).toBe('/home/home')
  return { place, discarded }
}

test('a page that is left before it is hydrated is never shown under the next address', async () => {
  const { place, discarded } = await open()
  await act(async () => go('/threads'))
  expect(place.textContent).toBe('/threads loads')
  await act(async () => arrive())
  expect(place.textContent).toBe('/threads/threads')
  expect(discarded).toEqual([])
})

test('a page that is left later stays until the next one is there', async () => {
  const { place, discarded } = await open()
  await act(async () => arrive())
  await act(async () => go('/slow'))
  expect(place.textContent).toBe('/home/home')
  await act(async () => go('/threads'))
  expect(place.textContent).toBe('/threads/threads')
  expect(discarded).toEqual([])
})
