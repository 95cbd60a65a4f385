/** The chosen theme; `system` follows the operating system. */
export type Theme = 'system' | 'light' | 'dark'

const KEY = 'pilothouse-theme'

/** Runs before the first paint so that the page never flashes in the wrong theme. Must match `show`. */
export const THEME_SCRIPT = `(function(){var t;try{t=localStorage.getItem('${KEY}')}catch(e){}var d=t==='dark'||(t!=='light'&&matchMedia('(prefers-color-scheme: dark)').matches);document.documentElement.dataset.theme=d?'dark':'light'})()`

export function readTheme(): Theme {
  try {
    const stored = localStorage.getItem(KEY)
    return stored === 'light' || stored === 'dark' ? stored : 'system'
  } catch {
    return 'system' // local storage is disabled
  }
}

const listeners = new Set<() => void>()
/** Calls `listener` on every theme change, in this tab or another. Returns the unsubscribe function. */
export function onThemeChange(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Shows a theme and remembers it in this browser. */
export function applyTheme(theme: Theme): void {
  try {
    if (theme === 'system') localStorage.removeItem(KEY)
    else localStorage.setItem(KEY, theme)
  } catch {
    // still shown, just not remembered
  }
  show(theme)
}

/**
 * Follows the operating system's theme and changes from other tabs; returns a function that stops it. Applies the theme once
 * first, because React renders not-found pages in the browser without the inline script.
 */
export function followTheme(): () => void {
  const dark = matchMedia('(prefers-color-scheme: dark)')
  const follow = () => show(readTheme())
  const onStorage = (event: StorageEvent) => {
    if (event.key === KEY || event.key === null) follow()
  }
  follow()
  dark.addEventListener('change', follow)
  window.addEventListener('storage', onStorage)
  return () => {
    dark.removeEventListener('change', follow)
    window.removeEventListener('storage', onStorage)
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
