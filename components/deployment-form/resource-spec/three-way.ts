import { isSame, type Spec, withKey } from './spec-value'

/** A field whose original, my and their values are not all equal. */
export type ThreeWay = {
  key: string
  base: unknown
  mine: unknown
  theirs: unknown
  /** Whose value stays; `choose`: both changed it. */
  keeps: 'mine' | 'theirs' | 'same' | 'choose'
}

const own = (spec: Spec, key: string) => (Object.hasOwn(spec, key) ? spec[key] : undefined)

export function threeWays(base: Spec, mine: Spec, theirs: Spec): ThreeWay[] {
  const keys = new Set([...Object.keys(theirs), ...Object.keys(mine), ...Object.keys(base)])
  return [...keys].flatMap((key): ThreeWay[] => {
    const row = { key, base: own(base, key), mine: own(mine, key), theirs: own(theirs, key) }
    const [byMe, byThem] = [!isSame(row.base, row.mine), !isSame(row.base, row.theirs)]
    if (!byMe && !byThem) return []
    if (byMe && byThem) return [{ ...row, keeps: isSame(row.mine, row.theirs) ? 'same' : 'choose' }]
    return [{ ...row, keeps: byMe ? 'mine' : 'theirs' }]
  })
}

/** Their spec with my changes on it; of a field that both changed, mine where it is among `kept`. */
export function merged(base: Spec, mine: Spec, theirs: Spec, kept: ReadonlySet<string>): Spec {
  return threeWays(base, mine, theirs)
    .filter(({ key, keeps }) => keeps === 'mine' || (keeps === 'choose' && kept.has(key)))
    .reduce((spec, row) => withKey(spec, row.key, row.mine), theirs)
}
