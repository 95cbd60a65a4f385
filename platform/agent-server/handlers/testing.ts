/** For tests: services that note how they are called; the tests beside the services have a server. */

// biome-ignore lint/suspicious/noExplicitAny: tests check what they read by their expectations
export type Any = any
export const when = new Date('2026-01-02T03:04:05Z')

/** Services whose functions note how they were called, and give the results by their names. */
export function noting(results: Record<string, unknown> = {}) {
  const log: Any[] = []
  const services = new Proxy({} as Any, {
    get: (_, name: string) => {
      if (name in results && typeof results[name] !== 'function') {
        return async (...given: unknown[]) => {
          log.push([name, ...given])
          const result = results[name]
          if (result instanceof Error) throw result
          return result
        }
      }
      return (
        results[name] ??
        ((...given: unknown[]) => {
          log.push([name, ...given])
          return Promise.resolve(undefined)
        })
      )
    },
  })
  return { services, log, of: (what: string) => log.filter(([kind]) => kind === what) }
}
export const asked = (given: Any) => ({ params: {}, query: {}, body: {}, headers: new Headers(), ...given }) as never
