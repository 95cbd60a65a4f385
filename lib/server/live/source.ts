import 'server-only'
/** Something that a viewer follows. It is told when there is news and asked for frames when the viewer has room. */
export type Source = {
  readonly id: string
  readonly workspace: string
  /** Frames for what is new, about `maxBytes` of them; empty when there is nothing (any more). May have to read the store. */
  take(maxBytes: number): Buffer[] | Promise<Buffer[]>
  /** False where it knows that there is nothing more just now; else it is asked again until it has nothing. */
  readonly hasMore?: boolean
  close(): void
}
