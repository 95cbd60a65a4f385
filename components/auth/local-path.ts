import type { Route } from 'next'

/** Where to go after signing in: a path of this console, never another site. */
export function localPath(given: string | undefined): Route {
  const home = '/' as Route
  if (!given) return home
  try {
    const base = 'http://console.invalid'
    const url = new URL(given, base)
    // next-auth hands over whole addresses; only what follows the host counts, so no address can lead away.
    const path = `${url.pathname}${url.search}`
    return /^\/(?![/\\])/.test(path) && !path.startsWith('/sign-in') ? (path as Route) : home
  } catch {
    return home
  }
}
