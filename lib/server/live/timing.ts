import 'server-only'

/** All waits of live connections, in milliseconds. */
export const LIVE_TIMING = {
  connection: {
    keepAliveMs: 15_000,
    rightsMs: 3_000,
    /**
     * A connection that takes nothing for this long while frames wait is closed; the browser reconnects with its
     * cursors.
     */
    stalledMs: 20_000,
    /** Rights that can't be checked for this long count as withdrawn. */
    uncheckedMs: 20_000,
    /** Before a source is read again that failed because our database was away. */
    outageMs: 2_000,
  },
  /** Between two reads of a record or list. */
  poll: {
    ...{ movingMs: 2_000, idleMs: 4_000, errorMaxMs: 30_000, hintMs: 300 },
    /** A read that takes longer is reported as having no answer: a viewer knows at most `idleMs` later. */
    lateMs: 4_000,
  },
  logs: {
    /** Between two reads: while lines come, and after a long silence. */
    busyMs: 1_000,
    quietMs: 6_000,
    errorMaxMs: 30_000,
    /** How long a feed without subscribers is kept: a browser that changes its subscriptions returns at once. */
    lingerMs: 20_000,
  },
}
export type LiveTiming = typeof LIVE_TIMING
