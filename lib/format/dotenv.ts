// Reads and writes `.env` text. A line that is not a setting becomes a problem, an ambiguous one gets a note, and
// neither quotes the text, which may be secret.

export type EnvEntry = { name: string; value: string; line: number; note?: string }
export type EnvProblem = { line: number; message: string }
export type EnvText = { entries: EnvEntry[]; problems: EnvProblem[]; comments: number }

const QUOTES = ['"', "'", '`']
const LINE_END = /\r\n|\n|\r/g

export function parseEnv(given: string): EnvText {
  const text = given.replace(/^\ufeff/, '')
  const found: EnvText = { entries: [], problems: [], comments: 0 }
  for (let at = 0, line = 1; at < text.length; ) {
    const end = lineEnd(text, at)
    const used = readLine(text, at, end.from, line, found)
    const next = used > end.from ? lineEnd(text, used) : end
    line += 1 + breaks(text.slice(at, next.from))
    at = next.to
  }
  return found
}

/** Where the line with `at` ends, and where the next one begins. */
function lineEnd(text: string, at: number): { from: number; to: number } {
  LINE_END.lastIndex = at
  const found = LINE_END.exec(text)
  return found ? { from: found.index, to: found.index + found[0].length } : { from: text.length, to: text.length }
}
const breaks = (text: string) => text.match(LINE_END)?.length ?? 0

/** Reads the setting that starts in a line and returns where it ends; a quoted value may span several lines. */
function readLine(text: string, from: number, to: number, line: number, found: EnvText): number {
  const raw = text.slice(from, to)
  const refuse = (message: string) => {
    found.problems.push({ line, message })
    return to
  }
  if (raw.trim() === '') return to
  if (raw.trimStart().startsWith('#')) {
    found.comments += 1
    return to
  }
  const equals = raw.indexOf('=')
  if (equals === -1) return refuse('There is no =')
  const name = raw
    .slice(0, equals)
    .trim()
    .replace(/^export\s+/, '')
  if (name === '') return refuse('There is no name before the =')
  const start = from + equals + 1 + (/^[^\S\r\n]*/.exec(raw.slice(equals + 1))?.[0].length ?? 0)
  const quote = QUOTES.find((one) => text[start] === one)
  if (quote === undefined || start >= to) {
    found.entries.push({ name, line, ...plainValue(text.slice(start, to)) })
    return to
  }
  const close = closingQuote(text, start, quote)
  if (close === -1) return refuse(`The ${quote} before the value is never closed`)
  const end = lineEnd(text, close).from
  if (!/^[^\S\r\n]*(#.*)?$/.test(text.slice(close + 1, end))) return refuse(`There is text after the closing ${quote}`)
  const inside = text.slice(start + 1, close)
  found.entries.push({ name, line, ...noted(quote === '"' ? unescaped(inside) : inside) })
  return close
}

function plainValue(rest: string): { value: string; note?: string } {
  const comment = /\s#/.exec(rest)
  if (!comment) return noted(rest.trim())
  return { value: rest.slice(0, comment.index).trim(), note: 'Text after the # was read as a comment' }
}

const noted = (value: string) =>
  /\$\{\w+\}|\$\w+/.test(value)
    ? { value, note: 'Variables with $ are not expanded; the value is used as written' }
    : { value }

function closingQuote(text: string, start: number, quote: string): number {
  for (let at = start + 1; at < text.length; at++) {
    if (quote === '"' && text[at] === '\\') at++
    else if (text[at] === quote) return at
  }
  return -1
}

const ESCAPES: Record<string, string> = { n: '\n', r: '\r', t: '\t', '"': '"', '\\': '\\', $: '$' }
const unescaped = (text: string) => text.replace(/\\([nrt"\\$])/g, (_, one: string) => ESCAPES[one] ?? one)

/** Text that parses to exactly these settings. */
export const printEnv = (entries: readonly { name: string; value: string }[]): string =>
  entries.map(({ name, value }) => `${name}=${printed(value)}`).join('\n')

/** Unquoted only if that is unambiguous. */
function printed(value: string): string {
  if (/^[\w./:@%+,;!?~^&*()[\]{}|<>=-]*$/.test(value)) return value
  const escaped = value.replace(/["\\]/g, '\\$&').replaceAll('\n', '\\n').replaceAll('\r', '\\r')
  return `"${escaped}"`
}

/** Whether a text pasted into a name field looks like lines of settings. */
export const looksLikeEnv = (text: string): boolean =>
  /[\r\n]/.test(text.trim()) || /^\s*(export\s+)?[\w.-]+\s*=/.test(text)
