/** A stretch of a Markdown text that is read on its own. */
export type MarkdownPart = {
  text: string
  /** The line of the code fence, or the head of the table, that an earlier part began and this one continues. */
  opening: string
}

/** From this length on, the next gap between two blocks ends a part. */
const ENOUGH = 1_000
/** A block longer than this is continued in another part. Reading code is cheap, reading prose is not. */
const LONGEST_TEXT = 6_000
const LONGEST_CODE = 16_000

const FENCE = /^[ \t]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?(`{3,}|~{3,})(.*)$/
const TABLE_RULE = /^[ \t]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t:|-]*)?$/
/** A line that continues a list, or the beginning of one that might. */
const CONTINUES = /^(?:\s|[-+](?:[ \t]|$)|\*(?:[ \t]|$)|\d{1,9}(?:[.)](?:[ \t]|$)|$)|$)/

/** Splits a growing Markdown text between its blocks. All parts but the last are final and keep their identity. */
export class MarkdownParts {
  readonly parts: MarkdownPart[] = []
  #length = 0

  /** Takes the whole current text. Cheap if the text has grown; otherwise starts over. */
  update(text: string): readonly MarkdownPart[] {
    const last = this.parts.at(-1)
    const fixedLength = this.#length - (last?.text.length ?? 0)
    const grows = text.length >= this.#length && text.startsWith(last?.text ?? '', fixedLength)
    if (last && grows && text.length === this.#length) return this.parts
    if (grows) this.parts.pop()
    else this.parts.length = 0
    let from = grows ? fixedLength : 0
    let opening = grows ? (last?.opening ?? '') : ''
    while (from < text.length) {
      const cut = nextCut(text, from, opening)
      this.parts.push({ text: text.slice(from, cut.end), opening })
      from = cut.end
      opening = cut.opening
    }
    this.#length = text.length
    return this.parts
  }
}

function nextCut(text: string, from: number, opening: string): { end: number; opening: string } {
  if (text.length - from <= ENOUGH) return { end: text.length, opening: '' }
  let fence = fenceOf(opening)
  let table = fence ? '' : opening
  let isMath = false
  let before = ''
  for (let at = from; at < text.length; ) {
    const length = at - from
    const lineEnd = text.indexOf('\n', at)
    const line = text.slice(at, lineEnd === -1 ? text.length : lineEnd)
    if (length > ENOUGH && !fence && !isMath && before.trim() === '' && isStart(line, lineEnd !== -1))
      return { end: at, opening: '' }
    if (length + line.length > (fence ? LONGEST_CODE : LONGEST_TEXT)) {
      const next = fence ? `${fence.line}\n` : table
      return length > 0 ? { end: at, opening: next } : { end: within(text, from), opening: next }
    }
    if (lineEnd === -1) break
    const mark = FENCE.exec(line)
    if (!fence && mark) fence = { mark: mark[1] ?? '```', line: line.trim() }
    else if (fence && mark && isClosing(fence.mark, mark)) fence = undefined
    else if (!fence) {
      if ((line.match(/\$\$/g)?.length ?? 0) % 2 === 1) isMath = !isMath
      // An unclosed formula must not hold back the rest of the text.
      if (line.trim() === '') isMath = false
      if (!line.includes('|')) table = ''
      else if (TABLE_RULE.test(line) && before.includes('|')) table = `${before}\n${line}\n`
    }
    before = line
    at = lineEnd + 1
  }
  return { end: text.length, opening: '' }
}

/** Whether a line begins a block of its own. Known only when enough of the line has arrived. */
const isStart = (line: string, isWhole: boolean) => (isWhole || line.length > 12) && !CONTINUES.test(line)

const isClosing = (open: string, [, mark = '', rest = '']: RegExpExecArray) =>
  mark[0] === open[0] && mark.length >= open.length && rest.trim() === ''

const fenceOf = (opening: string) => {
  const [, mark] = FENCE.exec(opening.trimEnd()) ?? []
  return mark ? { mark, line: opening.trimEnd() } : undefined
}

/** Where to split a line that is too long. */
function within(text: string, from: number): number {
  const space = text.lastIndexOf(' ', from + LONGEST_TEXT)
  if (space > from + ENOUGH) return space + 1
  const end = from + LONGEST_TEXT
  // Not between the two halves of a surrogate pair.
  return /[\uD800-\uDBFF]/.test(text[end - 1] ?? '') ? end + 1 : end
}
