import { Lexer, Marked, type Token, type TokenizerAndRendererExtension, type Tokens } from 'marked'

export type MathToken = { type: 'math'; raw: string; text: string; isBlock: boolean }
export type FootnoteToken = { type: 'footnote'; raw: string; label: string; tokens: Token[] }
export type FootnoteRefToken = { type: 'footnoteRef'; raw: string; label: string }

/** Deeper nesting stays text, so that no text exhausts the stack. */
const DEEP_QUOTE = /^(?: {0,3}>[ \t]?){9}/
const DEEP_LIST = /^(?:[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+){9}/
/** The parser looks for the partner of each mark in the rest of its paragraph. */
const MOST_MARKS = 300
const MARKS = /[*_~]+|[[`$\\<&|]/g

const LONGEST_FORMULA = 4_000
const CLOSING: Record<string, string> = { $$: '$$', '\\[': '\\]', '\\(': '\\)' }
// An amount of money is not a formula: `$5 and $10`.
const SINGLE = /^\$(?![\s$])((?:\\[^\n]|[^$\\\n]){1,300}?)(?<!\s)\$(?!\d)/

/** The formula that begins `source`, found without looking at each character in turn. */
function formulaAt(source: string): MathToken | undefined {
  const opening = source.slice(0, 2)
  const closing = Object.hasOwn(CLOSING, opening) ? CLOSING[opening] : undefined
  if (!closing) {
    const [raw, text = ''] = (source[0] === '$' && SINGLE.exec(source)) || []
    return raw ? { type: 'math', raw, text, isBlock: false } : undefined
  }
  const end = source.slice(0, LONGEST_FORMULA).indexOf(closing, 2)
  const text = end === -1 ? '' : source.slice(2, end)
  if (!text.trim()) return undefined
  return { type: 'math', raw: source.slice(0, text.length + 4), text: text.trim(), isBlock: opening !== '\\(' }
}

const mathBlock: TokenizerAndRendererExtension = {
  name: 'mathBlock',
  level: 'block',
  start: (source) => /\n {0,3}(?:\$\$|\\\[)/.exec(source)?.index,
  tokenizer(source) {
    const [indent = ''] = /^ {0,3}(?=\$\$|\\\[)/.exec(source) ?? []
    const formula = formulaAt(source.slice(indent.length))
    const rest = formula?.isBlock ? /^[ \t]*(?:\n|$)/.exec(source.slice(indent.length + formula.raw.length)) : null
    return formula && rest ? { ...formula, raw: indent + formula.raw + rest[0] } : undefined
  },
}

const mathInline: TokenizerAndRendererExtension = {
  name: 'mathInline',
  level: 'inline',
  start: (source) => /\$|\\[([]/.exec(source)?.index,
  tokenizer: (source) => formulaAt(source),
}

const footnote: TokenizerAndRendererExtension = {
  name: 'footnote',
  level: 'block',
  start: (source) => /\n\[\^/.exec(source)?.index,
  tokenizer(source) {
    const [raw, label, text] = /^\[\^([^\]\s]{1,40})\]:[ \t]*([^\n]*(?:\n[ \t]+[^\n]*)*)\n?/.exec(source) ?? []
    if (!raw || !label) return undefined
    const tokens: Token[] = []
    this.lexer.inline(text ?? '', tokens)
    return { type: 'footnote', raw, label, tokens } satisfies FootnoteToken
  },
}

const footnoteRef: TokenizerAndRendererExtension = {
  name: 'footnoteRef',
  level: 'inline',
  start: (source) => /\[\^/.exec(source)?.index,
  tokenizer(source) {
    const [raw, label] = /^\[\^([^\]\s]{1,40})\]/.exec(source) ?? []
    return raw && label ? ({ type: 'footnoteRef', raw, label } satisfies FootnoteRefToken) : undefined
  },
}

// A tokenizer that answers `undefined` leaves its syntax as text; `false` means the parser's own reading.
const marked = new Marked({
  gfm: true,
  extensions: [mathBlock, mathInline, footnote, footnoteRef],
  tokenizer: {
    // Raw HTML is never more than text.
    html: () => undefined,
    tag: () => undefined,
    // A text is read in parts, so a part cannot know the definitions of another.
    def: () => undefined,
    // Otherwise a paragraph becomes a heading while the list below it begins to arrive.
    lheading: () => undefined,
    blockquote: (source) => (DEEP_QUOTE.test(source) ? undefined : false),
    list: (source) => (DEEP_LIST.test(source) ? undefined : false),
  },
})

/** Leaves a paragraph with too many marks as it is, whose reading would freeze the page. */
class BoundedLexer extends Lexer {
  override inlineTokens(source: string, tokens: Token[] = []): Token[] {
    if (source.length > MOST_MARKS && (source.match(MARKS)?.length ?? 0) > MOST_MARKS) {
      tokens.push({ type: 'text', raw: source, text: source })
      return tokens
    }
    return super.inlineTokens(source, tokens)
  }
}

/** Reads Markdown as a tree. None of its text is lost, and raw HTML stays text. */
export function readMarkdown(text: string): Token[] {
  try {
    return new BoundedLexer(marked.defaults).lex(text)
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    const plain: Tokens.Paragraph = { type: 'paragraph', raw: text, text, tokens: [{ type: 'text', raw: text, text }] }
    return [plain]
  }
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
