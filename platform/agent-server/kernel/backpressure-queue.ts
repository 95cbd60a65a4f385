/** Many put, one takes. Who puts waits until it is taken, so nothing piles up here. */
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

  /** What is there is still taken; then `take` rejects. */
  fail(error: unknown): void {
    this.#failure ??= error
    this.#wake?.()
  }

  /** Nothing is taken any more, and nobody is left waiting. */
  close(): void {
    this.#isClosed = true
    for (const { taken } of this.#items.splice(0)) taken()
    this.#wake?.()
  }

  /** All that is there, in order; an empty list when nothing came for `timeoutMs`. */
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
