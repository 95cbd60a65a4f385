import { lastFocused } from './last-focused'

/** What to give the focus back to, the first choice first: a dialog in which another one was opened may be gone before it. */
const openers = new WeakMap<Element, readonly Element[]>()

export const rememberOpeners = (dialog: Element, opened: readonly Element[]) => openers.set(dialog, opened)

/** What opens a dialog now, and what is near it if that is gone when the dialog closes. */
export function openersNow(): readonly Element[] {
  const focused = document.activeElement === document.body ? lastFocused() : document.activeElement
  const opener = openerOf(focused)
  const dialog = opener?.closest('[role=dialog]')
  return [...(opener ? [opener] : []), ...(dialog ? (openers.get(dialog) ?? []) : near(opener))]
}

/** Gives the focus to the first that takes it. If that one is removed, as a deleted row is, the next ones are tried. */
export function returnFocus(places: readonly Element[]): void {
  const taken = places.findIndex(takesFocus)
  const holder = document.activeElement
  if (taken < 0 || !holder) return
  const observer = new MutationObserver(() => {
    if (holder.isConnected) return
    stop()
    if (document.activeElement === document.body) returnFocus(places.slice(taken))
  })
  const stop = () => {
    observer.disconnect()
    document.removeEventListener('focusin', stop)
  }
  observer.observe(document.body, { childList: true, subtree: true })
  document.addEventListener('focusin', stop)
}

/** The trigger of a menu, whose items are gone when the dialog closes. */
function openerOf(element: Element | null): Element | null {
  const menu = element?.closest('[role=menu]')
  return menu ? document.getElementById(menu.getAttribute('aria-labelledby') ?? '') : element
}

/** The element's row in a list, the rows after and before it, and the page. */
function near(element: Element | null): Element[] {
  const row = element?.closest('tr, li')
  const rows = [...(row?.parentElement?.children ?? [])]
  const at = row ? rows.indexOf(row) : 0
  const main = document.getElementById('main')
  return [...rows.slice(at), ...rows.slice(0, at).reverse(), ...(main ? [main] : [])]
}

/** Of a row, its link or first control. Not what is gone from the page or hidden. */
function takesFocus(element: Element): boolean {
  const isRow = element.matches('tr, li')
  const target = isRow ? (element.querySelector('a[data-row]') ?? element.querySelector('a[href], button')) : element
  if (target instanceof HTMLElement) target.focus({ preventScroll: true })
  return target !== null && document.activeElement === target
}
