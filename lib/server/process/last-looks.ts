import 'server-only'
import { AppError } from '@/lib/errors'

/** What was read of a server, or the problem that prevented it. */
type Look = {
  readAt: number
  problem?: string
  /** It may be back later. */
  isAway?: boolean
  /** When what is given instead was read, in epoch ms. */
  keptAt?: number
}

/** What servers told last, for readers while a server is away. */
export class LastLooks<T extends Look> {
  readonly #looks = new Map<string, T>()

  constructor(readonly most: number) {}

  /** `found`, or what the same look found last with the problem of now. */
  orLast(key: string, found: T): T {
    if (found.problem === undefined) {
      this.#looks.delete(key)
      // Maps keep insertion order, so the first is the oldest.
      for (const oldest of this.#looks.keys()) {
        if (this.#looks.size < this.most) break
        this.#looks.delete(oldest)
      }
      this.#looks.set(key, found)
      return found
    }
    const last = found.isAway ? this.#looks.get(key) : undefined
    return last ? { ...last, problem: found.problem, keptAt: last.readAt } : found
  }
}

/** Not of a server that does not exist any more, or refuses. */
export const isAway = (error: unknown): boolean =>
  !(error instanceof AppError) || error.code === 'upstream_unreachable' || error.code === 'upstream_failed'
