/** Splits a growing text at line breaks. All blocks except the last are final, so only the last one has to render again. */
export class TextBlocks {
  readonly blocks: string[] = []
  #length = 0

  /** Takes the whole current text. Cheap if the text has grown; otherwise starts over. */
  update(text: string): readonly string[] {
    const last = this.blocks.at(-1) ?? ''
    const fixedLength = this.#length - last.length
    const grows = text.length >= this.#length && text.startsWith(last, fixedLength)
    if (!grows) this.blocks.length = 0
    let from = grows ? fixedLength : 0
    if (grows && this.blocks.length > 0) this.blocks.pop()
    while (text.length - from > BLOCK) {
      const end = cut(text, from)
      this.blocks.push(text.slice(from, end))
      from = end
    }
    if (from < text.length) this.blocks.push(text.slice(from))
    this.#length = text.length
    return this.blocks
  }
}

const BLOCK = 2_000
/** A line may grow to this length before it is split. */
const LONGEST = 16_000

function cut(text: string, from: number): number {
  const lineEnd = text.indexOf('\n', from + BLOCK / 2)
  if (lineEnd !== -1 && lineEnd < from + LONGEST) return lineEnd + 1
  if (text.length - from < LONGEST) return text.length
  const space = text.lastIndexOf(' ', from + LONGEST)
  if (space > from + BLOCK) return space + 1
  const end = from + LONGEST
  // Not between the two halves of a surrogate pair.
  return /[\uD800-\uDBFF]/.test(text[end - 1] ?? '') ? end + 1 : end
}
