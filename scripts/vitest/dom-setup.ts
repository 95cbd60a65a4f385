import { configure } from '@testing-library/react'

// Parts that are loaded on first use take seconds on a busy machine.
configure({ asyncUtilTimeout: 10_000 })

// jsdom has no layout, so it has no ResizeObserver; components only need it to exist.
globalThis.ResizeObserver ??= class {
  observe() {}
  unobserve() {}
  disconnect() {}
}

// Nor does it have media queries: every window is wide.
window.matchMedia ??= () => Object.assign(new EventTarget(), { matches: false }) as MediaQueryList
