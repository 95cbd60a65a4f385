// The problems that a check has found, grouped by kind, so that a frequent one does not hide the others.

const EXAMPLES = 4

/** @param {(line: string) => void} [onNew] gets each problem as it comes */
export function createProblems(onNew = () => {}) {
  /** @type {Map<string, string[]>} */
  const byKind = new Map()
  return {
    /** @param {string} kind the same words for all problems of a kind @param {string} where what tells this one from the others */
    add(kind, where) {
      const known = byKind.get(kind) ?? []
      if (known.includes(where)) return
      byKind.set(kind, [...known, where])
      onNew(`${kind}: ${where}`)
    },
    get count() {
      return [...byKind.values()].reduce((sum, { length }) => sum + length, 0)
    },
    /** How many there are of each kind. */
    get kinds() {
      return Object.fromEntries([...byKind].map(([kind, all]) => [kind, all.length]))
    },
    /** Most frequent first, with a few examples each. */
    lines() {
      return [...byKind]
        .sort(([, left], [, right]) => right.length - left.length)
        .flatMap(([kind, all]) => [
          `${all.length} x ${kind}`,
          ...all.slice(0, EXAMPLES).map((where) => `    ${where}`),
          ...(all.length > EXAMPLES ? ['    …'] : []),
        ])
    },
  }
}
