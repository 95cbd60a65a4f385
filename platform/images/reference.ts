/** A parsed `image_uri`: a name with a tag, or with a digest. */
export type ImageReference = { name: string; tag: string; digest?: string }

const PART = '[a-z0-9]+(?:(?:\\.|_{1,2}|-+)[a-z0-9]+)*'
/** As container tools write it: optional registry with port, lower-case path, tag, digest. */
const REFERENCE = new RegExp(
  `^((?:[A-Za-z0-9.-]+:\\d{1,5}/)?${PART}(?:/${PART})*)(?::([A-Za-z0-9_][A-Za-z0-9_.-]{0,127}))?(?:@(sha256:[0-9a-f]{64}))?$`,
)
const LONGEST_NAME = 200

/** Undefined if the text is invalid. The tag defaults to `latest`. */
export function parseReference(text: string): ImageReference | undefined {
  const [, name, tag = 'latest', digest] = REFERENCE.exec(text.trim()) ?? []
  if (!name || name.length > LONGEST_NAME) return undefined
  return { name, tag, ...(digest && { digest }) }
}

/**
 * Up to five names of `known` that were probably meant: those with the same words first, then the most similar ones.
 */
export function similarNames(wanted: string, known: readonly string[]): string[] {
  const [base = ''] = wanted.split('@')
  const distances = known.map((name) => ({ name, distance: isPartOf(base, name) ? 0 : distanceOf(base, name) }))
  return distances
    .filter(({ name, distance }) => distance <= Math.max(2, Math.ceil(Math.min(base.length, name.length) / 3)))
    .sort((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : 1))
    .slice(0, 5)
    .map(({ name }) => name)
}

/** The same image with another tag, or the same last part under another path. */
function isPartOf(wanted: string, name: string): boolean {
  const bare = (text: string) => text.replace(/:[^:/]*$/, '')
  const last = (text: string) => bare(text).split('/').at(-1)
  return bare(wanted) === bare(name) || last(wanted) === last(name)
}

/** Edit distance: insertions, deletions and replacements. */
function distanceOf(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (let line = 1; line <= a.length; line += 1) {
    const next = [line]
    for (let column = 1; column <= b.length; column += 1) {
      const replaced = (row[column - 1] ?? 0) + (a[line - 1] === b[column - 1] ? 0 : 1)
      next.push(Math.min(replaced, (row[column] ?? 0) + 1, (next[column - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[b.length] ?? 0
}
