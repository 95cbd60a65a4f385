import { cleanup, configure } from '@testing-library/react'
import { afterAll } from 'vitest'

// Parts that are loaded on first use take seconds on a busy machine.
configure({ asyncUtilTimeout: 10_000 })

// jsdom has no layout, so it has no ResizeObserver; components only need it to exist.
globalThis.ResizeObserver ??= class {
  observe() {}
  unobserve() {}
  disconnect() {}
}

// Nor can it say where text is, which the JSON editor asks for, perhaps after the test that has loaded it.
Range.prototype.getClientRects ??= () => [] as unknown as DOMRectList

// Nor does it have media queries: every window is wide.
window.matchMedia ??= () => Object.assign(new EventTarget(), { matches: false }) as MediaQueryList

// The next file gets an empty document.
afterAll(() => {
  cleanup()
  document.head.replaceChildren()
  document.body.replaceChildren()
  for (const element of [document.documentElement, document.body])
    for (const name of element.getAttributeNames()) element.removeAttribute(name)
  localStorage.clear()
  sessionStorage.clear()
  history.replaceState(null, '', '/')
})
