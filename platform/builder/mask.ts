/** Shorter values would blank out half of every log line and guard nothing. */
const SHORTEST = 4

/** A function that replaces every secret value in a line; of a value of several lines, each line. */
export function createMask(values: readonly string[]): (line: string) => string {
  const parts = values
    .flatMap((value) => [value, ...value.split(/\r?\n/), JSON.stringify(value).slice(1, -1), encodeURIComponent(value)])
    .filter((part) => part.trim().length >= SHORTEST)
  // The longest first, so that a value that contains another one goes as a whole.
  const unique = [...new Set(parts)].sort((a, b) => b.length - a.length)
  return (line) => unique.reduce((text, part) => text.replaceAll(part, '••••'), line).replace(URL_PASSWORD, '$1••••@')
}

/** Credentials inside an address, such as a token in a git URL. */
const URL_PASSWORD = /\b([a-z][a-z0-9+.-]*:\/\/)[^\s/@]+@/gi
