import 'server-only'

/** What a start is told when it asks. `retryAfterMs`: when it should ask again to keep its place. */
export type Turn =
  | { kind: 'go' }
  | { kind: 'wait'; place: number; of: number; retryAfterMs: number }
  | { kind: 'full' }
  | { kind: 'late' }

type Ticket = { id: string; since: number; heardBy: number }

const FIRST_MS = 700
const PER_PLACE_MS = 100
const SLOWEST_MS = 5_000
/** A start that is later than this no longer holds the others up. */
const GRACE_MS = 3_000
/** Browsers wake a hidden page once a minute, which should not cost its place. */
const FORGOTTEN_MS = 90_000

/**
 * Starts that wait for a free stream, in the order in which they first asked. Each asks again until it may go, so nothing
 * is started for someone who has left, and a process that ends has promised nothing.
 */
export class StartQueue {
  #tickets: Ticket[] = []

  constructor(private readonly now: () => number = Date.now) {}

  /** Starts that wait, and have asked lately. */
  get waiting(): number {
    return this.#present(this.#tickets).length
  }

  /** Whether `id` may start, with `free` streams. At most `most` wait, each for `longestMs`; without an id none does. */
  ask(id: string | undefined, free: number, { most, longestMs }: { most: number; longestMs: number }): Turn {
    const now = this.now()
    this.#tickets = this.#tickets.filter(({ heardBy }) => now < heardBy + FORGOTTEN_MS)
    const known = this.#tickets.find((one) => one.id === id)
    if (known && now - known.since > longestMs) {
      this.#remove(known)
      return { kind: 'late' }
    }
    const before = known ? this.#tickets.slice(0, this.#tickets.indexOf(known)) : this.#tickets
    const ahead = this.#present(before).length
    if (free > ahead) {
      if (known) this.#remove(known)
      return { kind: 'go' }
    }
    if (!known && (id === undefined || this.#tickets.length >= most)) return { kind: 'full' }
    const ticket = known ?? { id: id as string, since: now, heardBy: now }
    if (!known) this.#tickets.push(ticket)
    const retryAfterMs = Math.min(FIRST_MS + PER_PLACE_MS * ahead, SLOWEST_MS)
    ticket.heardBy = now + retryAfterMs + GRACE_MS
    return { kind: 'wait', place: ahead + 1, of: this.waiting, retryAfterMs }
  }

  #present(tickets: readonly Ticket[]): Ticket[] {
    const now = this.now()
    return tickets.filter(({ heardBy }) => now <= heardBy)
  }

  #remove(ticket: Ticket): void {
    this.#tickets = this.#tickets.filter((one) => one !== ticket)
  }
}
