import type { Route } from 'next'
import { withoutBasePath } from '@/lib/base-path'

/** The path to open after sign-in. Always a path of this console, which prevents open redirects. */
export function localPath(given: string | undefined): Route {
  const home = '/' as Route
  if (!given) return home
  try {
    const base = 'http://console.invalid'
    const url = new URL(given, base)
    // next-auth passes absolute URLs. Only path and query are used, so none of them can leave this site.
    const path = `${url.origin === base ? url.pathname : withoutBasePath(url.pathname)}${url.search}`
    return /^\/(?![/\\])/.test(path) && !/^\/(sign-in|new-password)/.test(path) ? (path as Route) : home
  } catch {
    return home
  }
}
