/**
 * The Markdown subset that models commonly write, without raw HTML; unknown syntax stays text. Parsing is linear in the
 * length of the text.
 */
export type MarkdownBlock =
  | { kind: 'paragraph' | 'quote'; text: string }
  | { kind: 'heading'; level: number; text: string }
  | { kind: 'item'; depth: number; marker: string; text: string }
  | { kind: 'code'; text: string; language: string }
  | { kind: 'rule' }

const FENCE = /^ {0,3}(?:```|~~~)/
const HEADING = /^ {0,3}(#{1,6})[ \t]+(.*)$/
const ITEM = /^([ \t]{0,24})([-*+]|\d{1,9}[.)])[ \t]+(.*)$/
const QUOTE = /^ {0,3}> ?(.*)$/
const RULE = /^ {0,3}(?:-{3,}|\*{3,}|_{3,})[ \t]*$/

/** Whether the text ends inside a code fence. */
export function endsInFence(text: string, startsInFence: boolean): boolean {
  let isIn = startsInFence
  for (const line of text.split('\n')) if (FENCE.test(line)) isIn = !isIn
  return isIn
}

export function readBlocks(text: string, startsInFence = false): MarkdownBlock[] {
  const blocks: MarkdownBlock[] = []
  let code: { lines: string[]; language: string } | undefined = startsInFence ? { lines: [], language: '' } : undefined
  /** The block that following lines may continue. */
  let open: Extract<MarkdownBlock, { kind: 'paragraph' | 'quote' | 'item' }> | undefined
  const close = () => {
    if (code && code.lines.length > 0)
      blocks.push({ kind: 'code', text: code.lines.join('\n'), language: code.language })
    code = undefined
  }
  for (const line of text.split('\n')) {
    if (FENCE.test(line)) {
      open = undefined
      if (code) close()
      else code = { lines: [], language: line.trim().slice(3).trim().slice(0, 40) }
    } else if (code) code.lines.push(line)
    else if (line.trim() === '') open = undefined
    else open = readLine(line, open, blocks)
  }
  close()
  return blocks
}

type Open = Extract<MarkdownBlock, { kind: 'paragraph' | 'quote' | 'item' }>

function readLine(line: string, open: Open | undefined, blocks: MarkdownBlock[]): Open | undefined {
  const heading = HEADING.exec(line)
  if (heading) {
    blocks.push({
      kind: 'heading',
      level: heading[1]?.length ?? 1,
      text: (heading[2] ?? '').replace(/[ \t]+#+[ \t]*$/, ''),
    })
    return undefined
  }
  if (RULE.test(line)) {
    blocks.push({ kind: 'rule' })
    return undefined
  }
  const item = ITEM.exec(line)
  if (item) {
    const indent = (item[1] ?? '').replaceAll('\t', '    ').length
    const marker = item[2] ?? '-'
    const block: Open = {
      kind: 'item',
      depth: Math.min(6, Math.floor(indent / 2)),
      marker: /\d/.test(marker) ? marker : '•',
      text: item[3] ?? '',
    }
    blocks.push(block)
    return block
  }
  const quote = QUOTE.exec(line)
  if (quote) {
    if (open?.kind === 'quote') {
      open.text += `\n${quote[1] ?? ''}`
      return open
    }
    const block: Open = { kind: 'quote', text: quote[1] ?? '' }
    blocks.push(block)
    return block
  }
  // Tables stay as written, because their columns align in a monospaced font.
  const last = blocks.at(-1)
  if (line.trimStart().startsWith('|')) {
    if (last?.kind === 'code' && last.language === TABLE) last.text += `\n${line}`
    else blocks.push({ kind: 'code', text: line, language: TABLE })
    return undefined
  }
  if (open) {
    open.text += `\n${open.kind === 'item' ? line.trim() : line}`
    return open
  }
  const block: Open = { kind: 'paragraph', text: line }
  blocks.push(block)
  return block
}

export const TABLE = 'table'

export type Inline =
  | { kind: 'text' | 'code' | 'strong' | 'emphasis' | 'strike'; text: string }
  | { kind: 'link' | 'image'; text: string; url: string }

// Each alternative stops at a character that could start another one, which prevents backtracking.
const INLINE =
  /`([^`\n]+)`|\*\*([^*\n]+)\*\*|__([^_\n]+)__|(?<![\w*])\*([^*\s][^*\n]*)\*|(?<![\w_])_([^_\s][^_\n]*)_(?!\w)|~~([^~\n]+)~~|(!?)\[([^\][\n]*)\]\(([^()\s]+)\)|(https?:\/\/[^\s<>()[\]"'`]+)/g

/** Splits a line into formatted pieces; none of its text is lost. */
export function readInline(text: string): Inline[] {
  const pieces: Inline[] = []
  let from = 0
  for (const match of text.matchAll(INLINE)) {
    if (match.index > from) pieces.push({ kind: 'text', text: text.slice(from, match.index) })
    from = match.index + match[0].length
    const [, code, strong, strong2, emphasis, emphasis2, strike, bang, label, url, bare] = match
    if (code !== undefined) pieces.push({ kind: 'code', text: code })
    else if (strong ?? strong2) pieces.push({ kind: 'strong', text: strong ?? strong2 ?? '' })
    else if (emphasis ?? emphasis2) pieces.push({ kind: 'emphasis', text: emphasis ?? emphasis2 ?? '' })
    else if (strike !== undefined) pieces.push({ kind: 'strike', text: strike })
    else if (url !== undefined) pieces.push({ kind: bang ? 'image' : 'link', text: label ?? '', url })
    else if (bare !== undefined) {
      // Trailing punctuation belongs to the sentence, not the address.
      const end = bare.replace(/[.,;:!?]+$/, '')
      pieces.push({ kind: 'link', text: end, url: end })
      if (end.length < bare.length) pieces.push({ kind: 'text', text: bare.slice(end.length) })
    }
  }
  if (from < text.length) pieces.push({ kind: 'text', text: text.slice(from) })
  return pieces
}

/** The target of a link: web pages and mail addresses only; undefined for anything that could run code or mislead. */
export function safeLink(url: string): { href: string; host: string } | undefined {
  if (!URL.canParse(url)) return undefined
  const parsed = new URL(url)
  if (parsed.protocol === 'mailto:') return { href: parsed.href, host: decodeSafely(parsed.pathname) }
  if (parsed.protocol !== 'https:' && parsed.protocol !== 'http:') return undefined
  // Credentials before the host can disguise an address as another one.
  if (parsed.username !== '' || parsed.password !== '') return undefined
  return { href: parsed.href, host: parsed.host }
}

function decodeSafely(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
