/** What the person chose; `system` follows the machine. */
export type Theme = 'system' | 'light' | 'dark'

const KEY = 'pilothouse-theme'

/** Runs before the first paint, so that no page flashes in the wrong colours. Same rules as `applyTheme`. */
export const THEME_SCRIPT = `(function(){var t;try{t=localStorage.getItem('${KEY}')}catch(e){}var d=t==='dark'||(t!=='light'&&matchMedia('(prefers-color-scheme: dark)').matches);document.documentElement.dataset.theme=d?'dark':'light'})()`

export function readTheme(): Theme {
  try {
    const kept = localStorage.getItem(KEY)
    return kept === 'light' || kept === 'dark' ? kept : 'system'
  } catch {
    return 'system' // storage is switched off
  }
}

export function applyTheme(theme: Theme): void {
  try {
    if (theme === 'system') localStorage.removeItem(KEY)
    else localStorage.setItem(KEY, theme)
  } catch {
    // not kept, but shown
  }
  const isDark = theme === 'dark' || (theme === 'system' && matchMedia('(prefers-color-scheme: dark)').matches)
  document.documentElement.dataset.theme = isDark ? 'dark' : 'light'
}
