/** A stretch of a text that both have, that was added or that was removed. */
export type DiffPart = { kind: 'same' | 'added' | 'removed'; text: string }

/** Longer texts are compared as a whole, because the work grows with the product of their lengths. */
const MAX_WORDS = 1_500

/** How `to` differs from `from`, by words. */
export function wordDiff(from: string, to: string): DiffPart[] {
  const a = wordsOf(from)
  const b = wordsOf(to)
  if (from === to) return part('same', to)
  if (a.length > MAX_WORDS || b.length > MAX_WORDS) return [...part('removed', from), ...part('added', to)]
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
