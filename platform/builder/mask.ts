/** Masking shorter values would blank out much of the log and protect nothing. */
const SHORTEST = 4
/** Values of at least this length are hidden as whole words, such as the PIN in `PIN=123`; one character is no secret. */
const SHORTEST_ALONE = 2
/** A line this long was cut by the reader, perhaps inside a value. */
const CUT_FROM = 16_000
const HIDDEN = '••••'

/** Returns a function that masks every secret value in a line, and each line of multi-line values. */
export function createMask(values: readonly string[]): (line: string) => string {
  const parts = values
    .flatMap((value) => [value, ...value.split(/\r?\n/), JSON.stringify(value).slice(1, -1), encodeURIComponent(value)])
    .map((part) => part.trim())
  // Longest first, so that a value that contains another one is masked as a whole.
  const unique = [...new Set(parts)].sort((a, b) => b.length - a.length)
  const long = unique.filter((part) => part.length >= SHORTEST)
  const short = unique.filter((part) => part.length < SHORTEST && part.length >= SHORTEST_ALONE)
  const alone = short.length
    ? new RegExp(`(?<![\\p{L}\\p{N}_])(${short.map(escaped).join('|')})(?![\\p{L}\\p{N}_])`, 'gu')
    : undefined
  return (line) => {
    let text = long.reduce((masked, part) => masked.replaceAll(part, HIDDEN), line)
    if (line.length >= CUT_FROM) text = withoutBeginning(text, long)
    if (alone) text = text.replace(alone, HIDDEN)
    return text.replace(URL_PASSWORD, `$1${HIDDEN}@`)
  }
}

/** Removes the beginning of a value at the end of the line or before its truncation notice. */
function withoutBeginning(line: string, parts: readonly string[]): string {
  const [, text = line, mark = ''] = /^(.*?)( … \(line cut\))?$/s.exec(line) ?? []
  const lengths = parts.flatMap((part) => {
    for (let length = part.length - 1; length >= SHORTEST; length -= 1)
      if (text.endsWith(part.slice(0, length))) return [length]
    return []
  })
  return lengths.length ? text.slice(0, -Math.max(...lengths)) + HIDDEN + mark : line
}

const escaped = (text: string) => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')

/** Credentials inside an address, such as a token in a git URL. */
const URL_PASSWORD = /\b([a-z][a-z0-9+.-]*:\/\/)[^\s/@]+@/gi
