import { afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { FORMS_SCRIPT } from './forms'
import { goLive } from './live'

const sent: string[] = []
let isTaken = false
beforeAll(() => {
  // What React does once it has hydrated the form: its listener is below the window.
  document.addEventListener('submit', (event) => {
    if (!isTaken) return
    event.preventDefault()
    sent.push((event.target as HTMLFormElement).id)
  })
  new Function(FORMS_SCRIPT)()
})
beforeEach(() => {
  vi.useFakeTimers()
  isTaken = false
  sent.length = 0
  delete document.documentElement.dataset.live
  document.body.innerHTML =
    '<form id="one" data-enter><textarea></textarea></form><form id="two"><textarea></textarea></form>' +
    '<form id="three" action="/elsewhere"></form>'
})
afterEach(() => vi.useRealTimers())

const at = (selector: string) => document.querySelector(selector) as HTMLFormElement
const press = (selector: string, more: KeyboardEventInit = {}) => {
  const event = new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, cancelable: true, ...more })
  at(selector).dispatchEvent(event)
  return event.defaultPrevented
}

test('a form that is sent before React handles it loads nothing, and is sent once when React does', () => {
  const event = new SubmitEvent('submit', { bubbles: true, cancelable: true })
  at('#two').dispatchEvent(event)
  expect(event.defaultPrevented).toBe(true)
  at('#two').requestSubmit()
  isTaken = true
  goLive()
  goLive()
  expect(sent).toEqual(['two'])
})

test('a form whose code comes after the frame waits for it', () => {
  at('#two').requestSubmit()
  goLive()
  vi.advanceTimersByTime(1_000)
  expect(sent).toEqual([])
  isTaken = true
  vi.advanceTimersByTime(50)
  expect(sent).toEqual(['two'])
  vi.advanceTimersByTime(1_000)
  expect(sent).toEqual(['two'])
})

test('a form that has gone by then is not sent', () => {
  at('#two').requestSubmit()
  at('#two').remove()
  isTaken = true
  goLive()
  expect(sent).toEqual([])
})

test('a form with an address of its own is left alone', () => {
  const event = new SubmitEvent('submit', { bubbles: true, cancelable: true })
  at('#three').addEventListener('submit', () => {}, { once: true })
  at('#three').dispatchEvent(event)
  expect(event.defaultPrevented).toBe(false)
})

test('Enter sends a marked form until React handles keys', () => {
  isTaken = true
  expect(press('#one textarea', { shiftKey: true })).toBe(false)
  expect(press('#two textarea')).toBe(false)
  expect(sent).toEqual([])
  expect(press('#one textarea')).toBe(true)
  expect(sent).toEqual(['one'])
  goLive()
  expect(press('#one textarea')).toBe(false)
})
