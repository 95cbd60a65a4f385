/**
 * The path below which this build serves the console, such as `/pilothouse`; empty for a host name of its own. next.config.mjs
 * sets it at build time, because the framework writes it into the program (docs/decisions/0110-below-a-path.md).
 */
// biome-ignore lint/style/noProcessEnv: replaced by its value at build time, also in the browser's part
export const BASE_PATH = process.env.PILOTHOUSE_BASE_PATH ?? ''

/** The functions below for any base path. */
export const pathsBelow = (base: string) => ({
  withBasePath: (path: string): string => (base && path === '/' ? base : base + path),
  withoutBasePath(path: string): string | undefined {
    if (base === '') return path
    if (path === base) return '/'
    return path.startsWith(`${base}/`) ? path.slice(base.length) : undefined
  },
})
const own = pathsBelow(BASE_PATH)

/**
 * The address of one of our own paths, for everything that the framework does not prefix itself: it does so for `next/link`, the
 * router and redirects of pages.
 */
export const withBasePath = own.withBasePath

/** Our own path of a requested one; undefined for a path of another site on this host. */
export const withoutBasePath = own.withoutBasePath

/** A name for what browsers keep by host, such as local storage, so that consoles on one host do not share it. */
export const nameInBrowser = (name: string): string => name + BASE_PATH
