/** A session as its list shows it. */
export type SessionView = {
  id: string
  startedAt: string
  lastSeenAt: string
  /** Null: not known. */
  address: string | null
  /** The name that the browser gave itself. */
  browser: string | null
  /** It is the one that reads the list. */
  isCurrent: boolean
}
