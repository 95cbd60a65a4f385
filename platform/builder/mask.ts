/** Shorter values would blank out half of every log line and guard nothing. */
const SHORTEST = 4
/** Values from here on are hidden where they stand alone, as a PIN does in `PIN=123`; one character is no secret. */
const SHORTEST_ALONE = 2
/** A line this long was cut by who read it, perhaps inside a value. */
const CUT_FROM = 16_000
const HIDDEN = '••••'

/** A function that replaces every secret value in a line; of a value of several lines, each line. */
export function createMask(values: readonly string[]): (line: string) => string {
  const parts = values
    .flatMap((value) => [value, ...value.split(/\r?\n/), JSON.stringify(value).slice(1, -1), encodeURIComponent(value)])
    .map((part) => part.trim())
  // The longest first, so that a value that contains another one goes as a whole.
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

/** Without the beginning of a value at the very end, or before the words that say that the line was cut. */
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
