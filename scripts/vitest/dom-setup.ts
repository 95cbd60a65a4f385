// jsdom has no layout, so it has no ResizeObserver; components only need it to exist.
globalThis.ResizeObserver ??= class {
  observe() {}
  unobserve() {}
  disconnect() {}
}
