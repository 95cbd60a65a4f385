import 'server-only'

/** One subscription of a connection. It reports news, and is asked for frames when the connection has room. */
export type Source = {
  readonly id: string
  readonly workspace: string
  /** Returns frames with what is new, about `maxBytes` of them, or an empty list. May read the store. */
  take(maxBytes: number): Buffer[] | Promise<Buffer[]>
  /** False when nothing more is waiting; otherwise `take` is called until it returns nothing. */
  readonly hasMore?: boolean
  close(): void
}
