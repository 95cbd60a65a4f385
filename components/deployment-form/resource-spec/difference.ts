import { isRecord } from '@/lib/json/guards'
import { isSame, isUnset, type Path, type Spec } from './spec-value'

/** One difference between two specs, at the deepest differing path. */
export type Difference = { path: Path; kind: 'added' | 'changed' | 'removed' | 'moved'; old: unknown; new: unknown }

/**
 * The differences in the order of the new spec, then the removed parts. List items with unique names are compared by name,
 * others by position; a path has the item's position.
 */
export function differences(before: Spec, after: Spec): Difference[] {
  return compare(before, after, [])
}

function compare(old: unknown, now: unknown, path: Path): Difference[] {
  if (isSame(old, now)) return []
  if (isUnset(old)) return [{ path, kind: 'added', old, new: now }]
  if (isUnset(now)) return [{ path, kind: 'removed', old, new: now }]
  if (isRecord(old) && isRecord(now)) return compareKeys(old, now, path)
  if (Array.isArray(old) && Array.isArray(now)) return compareItems(old, now, path)
  return [{ path, kind: 'changed', old, new: now }]
}

const own = (object: Spec, key: string) => (Object.hasOwn(object, key) ? object[key] : undefined)

function compareKeys(old: Spec, now: Spec, path: Path): Difference[] {
  const keys = new Set([...Object.keys(now), ...Object.keys(old)])
  return [...keys].flatMap((key) => compare(own(old, key), own(now, key), [...path, key]))
}

function compareItems(old: readonly unknown[], now: readonly unknown[], path: Path): Difference[] {
  const [oldNames, names] = [namesOf(old), namesOf(now)]
  if (!oldNames || !names) {
    const length = Math.max(old.length, now.length)
    return Array.from({ length }, (_, at) => compare(old[at], now[at], [...path, at])).flat()
  }
  const kept = names.filter((name) => oldNames.includes(name))
  const isMoved = kept.join('\0') !== oldNames.filter((name) => names.includes(name)).join('\0')
  return [
    ...now.flatMap((item, at) => compare(old[oldNames.indexOf(names[at] ?? '')], item, [...path, at])),
    ...old.flatMap((item, at) => (names.includes(oldNames[at] ?? '') ? [] : compare(item, undefined, [...path, at]))),
    ...(isMoved ? [{ path, kind: 'moved' as const, old: oldNames, new: names }] : []),
  ]
}

/** The names of all items if they are present and unique. */
function namesOf(list: readonly unknown[]): string[] | undefined {
  const names = list.flatMap((item) => (isRecord(item) && typeof item.name === 'string' ? [item.name] : []))
  return names.length === list.length && new Set(names).size === names.length ? names : undefined
}
