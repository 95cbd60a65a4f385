let last: Element | null = null
if (typeof document !== 'undefined')
  document.addEventListener('focusin', ({ target }) => {
    if (target instanceof Element) last = target
  })

/**
 * What had the focus last, which is nowhere for a moment after a menu has closed. Known from when this module is loaded, so
 * what opens parts that are loaded later imports it too.
 */
export const lastFocused = (): Element | null => last
