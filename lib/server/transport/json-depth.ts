import 'server-only'

const QUOTE = 34
const BACKSLASH = 92

/** Deepest nesting of a JSON text that arrives in chunks, by its brackets and quotes alone. */
export class JsonDepth {
  deepest = 0
  #depth = 0
  #isInString = false
  #isEscaped = false

  add(chunk: Uint8Array): void {
    for (const code of chunk) {
      if (this.#isEscaped) this.#isEscaped = false
      else if (this.#isInString) {
        if (code === BACKSLASH) this.#isEscaped = true
        else if (code === QUOTE) this.#isInString = false
      } else if (code === QUOTE) this.#isInString = true
      else if (code === 91 || code === 123) this.deepest = Math.max(this.deepest, ++this.#depth)
      else if (code === 93 || code === 125) this.#depth--
    }
  }
}
