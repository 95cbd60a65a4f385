// For tests only: replaces `next/headers`, which works only inside a request that Next serves:
// vi.mock('next/headers', () => import('@/lib/server/access/testing'))

/** The browser that sends all requests of the test. `undefined` sends no Origin. */
export const browser: {
  cookies: Map<string, string>
  /** How each cookie was last set. */
  options: Map<string, object>
  origin: string | undefined
  headers: Record<string, string>
} = {
  cookies: new Map(),
  options: new Map(),
  origin: 'http://localhost:3000',
  headers: {},
}

export const cookies = async () => ({
  has: (name: string) => browser.cookies.has(name),
  get: (name: string) => {
    const value = browser.cookies.get(name)
    return value === undefined ? undefined : { name, value }
  },
  set: (name: string, value: string, options: object = {}) => {
    browser.options.set(name, options)
    if (value === '') browser.cookies.delete(name)
    else browser.cookies.set(name, value)
  },
})

export const headers = async () =>
  new Headers(
    browser.origin === undefined
      ? browser.headers
      : { ...browser.headers, origin: browser.origin, host: 'localhost:3000' },
  )
