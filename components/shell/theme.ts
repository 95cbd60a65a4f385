/** What the person chose; `system` follows the machine. */
export type Theme = 'system' | 'light' | 'dark'

const KEY = 'pilothouse-theme'

/** Runs before the first paint, so that no page flashes in the wrong colours. Same rules as `show`. */
export const THEME_SCRIPT = `(function(){var t;try{t=localStorage.getItem('${KEY}')}catch(e){}var d=t==='dark'||(t!=='light'&&matchMedia('(prefers-color-scheme: dark)').matches);document.documentElement.dataset.theme=d?'dark':'light'})()`

export function readTheme(): Theme {
  try {
    const kept = localStorage.getItem(KEY)
    return kept === 'light' || kept === 'dark' ? kept : 'system'
  } catch {
    return 'system' // storage is switched off
  }
}

const listeners = new Set<() => void>()
/** Hears of every choice, in this tab or another. */
export function onThemeChange(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Shows a theme and keeps the choice for this browser. */
export function applyTheme(theme: Theme): void {
  try {
    if (theme === 'system') localStorage.removeItem(KEY)
    else localStorage.setItem(KEY, theme)
  } catch {
    // not kept, but shown
  }
  show(theme)
}

/**
 * Keeps the page in step with the machine, where the choice is left to it, and with the choice made in other tabs. Sets it
 * anew first: a document that React makes in the browser (a missing page) comes without it. Gives its end.
 */
export function followTheme(): () => void {
  const dark = matchMedia('(prefers-color-scheme: dark)')
  const follow = () => show(readTheme())
  const hear = (event: StorageEvent) => {
    if (event.key === KEY || event.key === null) follow()
  }
  follow()
  dark.addEventListener('change', follow)
  window.addEventListener('storage', hear)
  return () => {
    dark.removeEventListener('change', follow)
    window.removeEventListener('storage', hear)
  }
}

function show(theme: Theme): void {
  for (const listener of listeners) listener()
  const root = document.documentElement
  const isDark = theme === 'dark' || (theme === 'system' && matchMedia('(prefers-color-scheme: dark)').matches)
  const next = isDark ? 'dark' : 'light'
  if (root.dataset.theme === next) return
  root.dataset.themeChanging = ''
  root.dataset.theme = next
  requestAnimationFrame(() => requestAnimationFrame(() => delete root.dataset.themeChanging))
}
