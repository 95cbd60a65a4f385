import 'server-only'

const KB = 1024
const MB = 1024 * KB

/** Largest request body by path, in bytes. Server actions are posted to the path of their page. */
export const BODY_LIMITS = {
  auth: 16 * KB,
  live: 256 * KB,
  relay: MB,
  protocols: MB,
  /** No more than without a session, because the guard knows no tokens. */
  httpApi: 64 * KB,
  /** No other route handler reads a body. */
  otherRoutes: 0,
  /** Equal to `serverActions.bodySizeLimit` in next.config.mjs. */
  actions: 8 * MB,
}

/** Largest body without a valid session: enough for every form, so that an ended session is reported as such. */
export const ANONYMOUS_LIMIT = 64 * KB

/** Bodies beyond the anonymous limit that are held at once: of one account, and of all. */
export const HELD_LIMITS = { account: 16 * MB, total: 48 * MB }

const PATHS: [RegExp, number][] = [
  [/^\/api\/auth(\/|$)/, BODY_LIMITS.auth],
  [/^\/api\/live\/?$/, BODY_LIMITS.live],
  [/^\/api\/relay\//, BODY_LIMITS.relay],
  [/^\/api\/protocols\//, BODY_LIMITS.protocols],
  [/^\/api\/v1(\/|$)/, BODY_LIMITS.httpApi],
  [/^\/(api|healthz|readyz|metrics)(\/|$)/, BODY_LIMITS.otherRoutes],
]

export const bodyLimitOf = (path: string): number =>
  PATHS.find(([pattern]) => pattern.test(path))?.[1] ?? BODY_LIMITS.actions
