import { act } from '@testing-library/react'
import { Suspense, use } from 'react'
import { hydrateRoot, type Root } from 'react-dom/client'
import { renderToString } from 'react-dom/server'
import { afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { BUTTON_PRESSES_SCRIPT } from './button-presses'
import { goLive } from './live'

const heard: string[] = []
let root: Root | undefined
beforeAll(() => {
  new Function(BUTTON_PRESSES_SCRIPT)()
})
beforeEach(() => {
  vi.useFakeTimers()
  heard.length = 0
  delete document.documentElement.dataset.live
})
afterEach(() => {
  act(() => root?.unmount())
  root = undefined
  vi.useRealTimers()
})

const hear = (what: string) => () => {
  heard.push(what)
}
function Page() {
  return (
    <main>
      <button type="button" onClick={hear('dialog')}>
        dialog
      </button>
      <button type="button" onPointerDown={hear('menu')}>
        menu
      </button>
      <button type="button" onMouseDown={hear('tab')}>
        tab
      </button>
      <form onSubmit={hear('form')}>
        <button type="submit" onClick={hear('send')}>
          send
        </button>
      </form>
      <p>text</p>
    </main>
  )
}

const late: { code?: Promise<void> } = {}
function Late() {
  if (late.code) use(late.code)
  return <Page />
}

/** The page as it comes from the server. Returns a function that starts its program. */
function draw(page = <Page />): () => Promise<void> {
  document.body.innerHTML = `<div id="page">${renderToString(page)}</div>`
  return () =>
    act(async () => {
      root = hydrateRoot(at('#page'), page)
    })
}
const at = (selector: string) => document.querySelector(selector) as HTMLElement
const button = (name: string) => [...document.querySelectorAll('button')].find((one) => one.textContent === name)
const press = (name: string) =>
  (button(name) ?? at(name)).dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true }))

test.each(['dialog', 'menu', 'tab'])(
  'a press of a %s before the program has started is repeated once',
  async (name) => {
    const start = draw()
    press(name)
    press(name)
    await start()
    expect(heard).toEqual([])
    goLive()
    goLive()
    vi.advanceTimersByTime(60_000)
    expect(heard).toEqual([name])
    expect(document.activeElement).toBe(button(name))
  },
)

test('only the last press counts, and a click elsewhere takes it back', async () => {
  const start = draw()
  press('dialog')
  press('menu')
  press('tab')
  await start()
  goLive()
  expect(heard).toEqual(['tab'])

  heard.length = 0
  act(() => root?.unmount())
  delete document.documentElement.dataset.live
  const startAgain = draw()
  press('dialog')
  press('p')
  await startAgain()
  goLive()
  vi.advanceTimersByTime(60_000)
  expect(heard).toEqual([])
})

test('a press that React hears is not repeated', async () => {
  const start = draw()
  await start()
  goLive()
  press('dialog')
  vi.advanceTimersByTime(60_000)
  expect(heard).toEqual(['dialog'])
})

test('a part whose code comes later is waited for', async () => {
  let arrive = () => {}
  late.code = undefined
  const page = (
    <Suspense>
      <Late />
    </Suspense>
  )
  const start = draw(page)
  late.code = new Promise((resolve) => {
    arrive = resolve
  })
  press('dialog')
  await start()
  goLive()
  vi.advanceTimersByTime(1_000)
  expect(heard).toEqual([])
  await act(async () => arrive())
  vi.advanceTimersByTime(50)
  expect(heard).toEqual(['dialog'])
})

test('a button that sends a form, one that has gone and one that is not React’s are left alone', async () => {
  const start = draw()
  document.addEventListener('click', (event) => event.preventDefault(), { once: true }) // jsdom sends no forms
  press('send')
  await start()
  goLive()
  vi.advanceTimersByTime(60_000)
  expect(heard).toEqual([])

  document.body.insertAdjacentHTML('beforeend', '<button type="button" id="foreign">foreign</button>')
  const foreign = vi.fn()
  at('#foreign').addEventListener('pointerdown', foreign)
  press('foreign')
  vi.advanceTimersByTime(60_000)
  expect(vi.getTimerCount()).toBe(0)
  press('foreign')
  at('#foreign').remove()
  vi.advanceTimersByTime(50)
  expect(vi.getTimerCount()).toBe(0)
  expect(foreign).not.toHaveBeenCalled()
})
