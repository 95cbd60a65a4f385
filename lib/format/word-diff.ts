/** A stretch of a text that both have, that was added or that was removed. */
export type DiffPart = { kind: 'same' | 'added' | 'removed'; text: string }

/** The work grows with the product of the lengths, of which both texts have up to 1,000 words with spaces between. */
const MOST_WORK = 4_000_000

/** How `to` differs from `from`, by words; undefined if they are too long to compare. */
export function wordDiff(from: string, to: string): DiffPart[] | undefined {
  if (from === to) return part('same', to)
  const a = wordsOf(from)
  const b = wordsOf(to)
  if (a.length * b.length > MOST_WORK) return undefined
  // `lengths[i][j]`: the longest common sequence of the words from `i` and from `j` on.
  const lengths = Array.from({ length: a.length + 1 }, () => new Uint16Array(b.length + 1))
  const at = (i: number, j: number) => lengths[i]?.[j] ?? 0
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--) {
      const row = lengths[i]
      if (row) row[j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1))
    }
  const parts: DiffPart[] = []
  const add = (kind: DiffPart['kind'], text: string) => {
    const last = parts.at(-1)
    if (last?.kind === kind) last.text += text
    else parts.push({ kind, text })
  }
  let [i, j] = [0, 0]
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      add('same', a[i] ?? '')
      i++
      j++
    } else if (i < a.length && (j >= b.length || at(i + 1, j) >= at(i, j + 1))) add('removed', a[i++] ?? '')
    else add('added', b[j++] ?? '')
  }
  return parts
}

/** Words and the white space between them. */
const wordsOf = (text: string): string[] => text.match(/\s+|\S+/g) ?? []
const part = (kind: DiffPart['kind'], text: string): DiffPart[] => (text === '' ? [] : [{ kind, text }])
