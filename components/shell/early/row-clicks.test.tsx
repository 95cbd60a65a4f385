import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { goLive } from './live'
import { ROW_CLICKS_SCRIPT } from './row-clicks'

const opened: string[] = []
beforeAll(() => {
  new Function(ROW_CLICKS_SCRIPT)()
  window.addEventListener('click', (event) => {
    const link = (event.target as Element).closest('a')
    if (!link) return
    opened.push(link.id)
    event.preventDefault()
  })
})
beforeEach(() => {
  opened.length = 0
  delete document.documentElement.dataset.live
  document.body.innerHTML = `<table><tbody><tr><th>Today</th></tr>${['one', 'two']
    .map(
      (id) =>
        `<tr data-key="${id}"><td><a data-row id="${id}" href="#">x</a></td><td class="${id}">y<button>z</button></td></tr>`,
    )
    .join('')}</tbody></table>`
})
afterAll(() => vi.restoreAllMocks())

const at = (selector: string) => document.querySelector(selector) as HTMLElement
const fire = (kind: string, selector: string, more: MouseEventInit = {}) =>
  at(selector).dispatchEvent(new MouseEvent(kind, { bubbles: true, cancelable: true, ...more }))

test('a click on a cell opens its row until React handles clicks', () => {
  fire('click', '.two')
  expect(opened).toEqual(['two'])
  goLive()
  fire('click', '.two')
  expect(opened).toEqual(['two'])
})

test('links, buttons, other mouse buttons and handled clicks are left alone', () => {
  fire('click', '#one') // counted once, for the link itself
  fire('click', '.one button')
  fire('click', '.one', { button: 1 })
  at('.one').addEventListener('click', (event) => event.preventDefault(), { once: true })
  fire('click', '.one')
  expect(opened).toEqual(['one'])
})

test('a row that moves between press and release is opened, also when React handles clicks', () => {
  goLive()
  fire('pointerdown', '.two', { clientX: 10, clientY: 50 })
  fire('click', 'tbody', { clientX: 11, clientY: 50 }) // released on another row
  expect(opened).toEqual(['two'])
})

test('a selection over several rows opens nothing', () => {
  fire('pointerdown', '.one', { clientX: 10, clientY: 20 })
  fire('click', 'tbody', { clientX: 10, clientY: 60 })
  fire('click', 'tbody')
  vi.spyOn(window, 'getSelection').mockReturnValue({ toString: () => 'y' } as Selection)
  fire('click', '.one')
  expect(opened).toEqual([])
})
