/** Text cut at line ends into blocks that never change once another follows, so that only the last one is redrawn. */
export class TextBlocks {
  readonly blocks: string[] = []
  #length = 0

  /** Takes the whole text as it is now. Cheap while it only grows; anything else starts over. */
  update(text: string): readonly string[] {
    const last = this.blocks.at(-1) ?? ''
    const settled = this.#length - last.length
    const grows = text.length >= this.#length && text.startsWith(last, settled)
    if (!grows) this.blocks.length = 0
    let from = grows ? settled : 0
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
/** A line without an end is let grow this long before it is cut in the middle. */
const LONGEST = 16_000

function cut(text: string, from: number): number {
  const lineEnd = text.indexOf('\n', from + BLOCK / 2)
  if (lineEnd !== -1 && lineEnd < from + LONGEST) return lineEnd + 1
  if (text.length - from < LONGEST) return text.length
  const space = text.lastIndexOf(' ', from + LONGEST)
  if (space > from + BLOCK) return space + 1
  const end = from + LONGEST
  // Not between the two halves of one character.
  return /[\uD800-\uDBFF]/.test(text[end - 1] ?? '') ? end + 1 : end
}
