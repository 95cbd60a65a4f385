/** A queue with many producers and one consumer. `put` waits until its item is taken, so nothing piles up. */
export class BackpressureQueue<T> {
  #items: { value: T; taken(): void }[] = []
  #failure: unknown
  #isClosed = false
  #wake: (() => void) | undefined

  put(value: T): Promise<void> {
    if (this.#isClosed) return Promise.resolve()
    return new Promise((taken) => {
      this.#items.push({ value, taken })
      this.#wake?.()
    })
  }

  /** Queued items can still be taken; after that `take` rejects. */
  fail(error: unknown): void {
    this.#failure ??= error
    this.#wake?.()
  }

  /** Stops the queue and releases all waiting producers. */
  close(): void {
    this.#isClosed = true
    for (const { taken } of this.#items.splice(0)) taken()
    this.#wake?.()
  }

  /** All queued items in order; an empty list if none came within `timeoutMs`. */
  async take(timeoutMs: number): Promise<T[]> {
    if (!this.#items.length && !this.#isClosed && this.#failure === undefined)
      await new Promise<void>((resolve) => {
        const timer = setTimeout(() => resolve(), timeoutMs)
        this.#wake = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    this.#wake = undefined
    const items = this.#items.splice(0)
    for (const { taken } of items) taken()
    if (items.length === 0 && this.#failure !== undefined) throw this.#failure
    return items.map(({ value }) => value)
  }
}
