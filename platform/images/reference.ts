/** What an `image_uri` means: a name with a tag, or with the digest of exactly one content. */
export type ImageReference = { name: string; tag: string; digest?: string }

const PART = '[a-z0-9]+(?:(?:\\.|_{1,2}|-+)[a-z0-9]+)*'
/** As container tools write it: an optional registry with port, path parts in lower case, a tag, a digest. */
const REFERENCE = new RegExp(
  `^((?:[A-Za-z0-9.-]+:\\d{1,5}/)?${PART}(?:/${PART})*)(?::([A-Za-z0-9_][A-Za-z0-9_.-]{0,127}))?(?:@(sha256:[0-9a-f]{64}))?$`,
)
const LONGEST_NAME = 200

/** Undefined where the text is no reference. The tag is `latest` where none is given. */
export function parseReference(text: string): ImageReference | undefined {
  const [, name, tag = 'latest', digest] = REFERENCE.exec(text.trim()) ?? []
  if (!name || name.length > LONGEST_NAME) return undefined
  return { name, tag, ...(digest && { digest }) }
}

/** Of `known`, those that were likely meant: with the same words first, then the most alike. At most five. */
export function similarNames(wanted: string, known: readonly string[]): string[] {
  const [base = ''] = wanted.split('@')
  const distances = known.map((name) => ({ name, distance: isPartOf(base, name) ? 0 : distanceOf(base, name) }))
  return distances
    .filter(({ name, distance }) => distance <= Math.max(2, Math.ceil(Math.min(base.length, name.length) / 3)))
    .sort((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : 1))
    .slice(0, 5)
    .map(({ name }) => name)
}

/** Same image with another tag, or same last part under another path. */
function isPartOf(wanted: string, name: string): boolean {
  const bare = (text: string) => text.replace(/:[^:/]*$/, '')
  const last = (text: string) => bare(text).split('/').at(-1)
  return bare(wanted) === bare(name) || last(wanted) === last(name)
}

/** Letters to insert, remove or replace to make one text of the other. */
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
