import { isLosslessNumber } from 'lossless-json'
import { isRecord } from './guards'

// Differences between two JSON values, as generators so that comparing large states can pause: each `undefined` is a
// place to yield.

export type JsonPath = readonly (string | number)[]

/** `path` is its place in the new value, or in the old one if removed; `from` is the old place of a moved one. */
export type Difference = {
  kind: 'added' | 'removed' | 'changed' | 'moved'
  path: JsonPath
  from?: JsonPath
  old?: unknown
  now?: unknown
}

type Step<T> = Generator<undefined, T>

/** Values compared between two pauses: well below a millisecond. */
const BREATH = 1_000
class Counter {
  #count = 0
  /** Whether it is time to pause. */
  tick(values = 1): boolean {
    this.#count += values
    if (this.#count < BREATH) return false
    this.#count = 0
    return true
  }
}

const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value)
/** Numbers too long for a double are compared by their digits. */
const isSameScalar = (a: unknown, b: unknown): boolean =>
  Object.is(a, b) || (isLosslessNumber(a) && isLosslessNumber(b) && a.toString() === b.toString())

/** States differ little, so parts up to this size are compared directly, without a generator per value. */
const AT_ONCE = 200

/** Whether two values are equal; undefined if that takes comparing more than `left` values. */
function sameAtOnce(a: unknown, b: unknown, left: { values: number }): boolean | undefined {
  if (a === b) return true
  if (--left.values < 0) return undefined
  if (isList(a)) {
    if (!isList(b) || a.length !== b.length) return false
    for (let at = 0; at < a.length; at++) {
      const equal = sameAtOnce(a[at], b[at], left)
      if (equal !== true) return equal
    }
    return true
  }
  if (!isRecord(a)) return isSameScalar(a, b)
  if (!isRecord(b)) return false
  const keys = Object.keys(a)
  if (keys.length !== Object.keys(b).length) return false
  for (const key of keys) {
    const equal = Object.hasOwn(b, key) ? sameAtOnce(a[key], b[key], left) : false
    if (equal !== true) return equal
  }
  return true
}

function* same(a: unknown, b: unknown, counter: Counter): Step<boolean> {
  const left = { values: AT_ONCE }
  const equal = sameAtOnce(a, b, left)
  if (counter.tick(AT_ONCE - left.values)) yield undefined
  if (equal !== undefined) return equal
  if (a === b) return true
  if (isList(a)) {
    if (!isList(b) || a.length !== b.length) return false
    for (let at = 0; at < a.length; at++) if (!(yield* same(a[at], b[at], counter))) return false
    return true
  }
  if (!isRecord(a)) return isSameScalar(a, b)
  if (!isRecord(b)) return false
  const keys = Object.keys(a)
  if (keys.length !== Object.keys(b).length) return false
  for (const key of keys) if (!Object.hasOwn(b, key) || !(yield* same(a[key], b[key], counter))) return false
  return true
}

function finish<T>(steps: Generator<unknown, T>): T {
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value as T // a finished generator has its return value
  }
}

/** Deep equality of JSON values: key order does not matter, and null is not the same as absent. */
export const isSameJson = (a: unknown, b: unknown): boolean => finish(same(a, b, new Counter()))

/** All differences, in the order of the new value. Keys and items that moved become one difference. */
export function* differences(old: unknown, now: unknown): Step<Difference[]> {
  const found: Difference[] = []
  yield* compare(old, now, [], found, new Counter())
  return withMoves(found)
}

export const differencesOf = (old: unknown, now: unknown): Difference[] => finish(differences(old, now))

function* compare(old: unknown, now: unknown, path: JsonPath, found: Difference[], counter: Counter): Step<void> {
  if (old === now) return
  const left = { values: AT_ONCE }
  const isSame = sameAtOnce(old, now, left)
  if (counter.tick(AT_ONCE - left.values)) yield undefined
  if (isSame) return
  if (isRecord(old) && isRecord(now)) {
    for (const key of Object.keys(now)) {
      if (Object.hasOwn(old, key)) yield* compare(old[key], now[key], [...path, key], found, counter)
      else found.push({ kind: 'added', path: [...path, key], now: now[key] })
    }
    for (const key of Object.keys(old))
      if (!Object.hasOwn(now, key)) found.push({ kind: 'removed', path: [...path, key], old: old[key] })
  } else if (isList(old) && isList(now)) yield* compareLists(old, now, path, found, counter)
  else if (!isSameScalar(old, now)) found.push({ kind: 'changed', path, old, now })
}

function* compareLists(
  old: readonly unknown[],
  now: readonly unknown[],
  path: JsonPath,
  found: Difference[],
  counter: Counter,
): Step<void> {
  const [names, oldNames] = namesOf(now, old)
  if (names && oldNames) return yield* compareNamed(old, now, { names, oldNames }, path, found, counter)
  let head = 0
  let tail = 0
  const short = Math.min(old.length, now.length)
  // Lists of different lengths: equal items at both ends are skipped.
  if (old.length !== now.length) {
    while (head < short && (yield* same(old[head], now[head], counter))) head++
    while (tail < short - head && (yield* same(old.at(-1 - tail), now.at(-1 - tail), counter))) tail++
  }
  const both = short - tail
  for (let at = head; at < both; at++) yield* compare(old[at], now[at], [...path, at], found, counter)
  for (let at = both; at < now.length - tail; at++) found.push({ kind: 'added', path: [...path, at], now: now[at] })
  for (let at = both; at < old.length - tail; at++) found.push({ kind: 'removed', path: [...path, at], old: old[at] })
}

type Names = { names: readonly unknown[]; oldNames: readonly unknown[] }

/** Items with names of their own are compared by name, and reordered ones are reported. */
function* compareNamed(
  old: readonly unknown[],
  now: readonly unknown[],
  { names, oldNames }: Names,
  path: JsonPath,
  found: Difference[],
  counter: Counter,
): Step<void> {
  const places = new Map(oldNames.map((name, at) => [name, at]))
  const stays = inOrder(names.flatMap((name) => places.get(name) ?? []))
  for (let at = 0; at < now.length; at++) {
    const was = places.get(names[at])
    const here = [...path, at]
    if (was === undefined) found.push({ kind: 'added', path: here, now: now[at] })
    else {
      if (!stays.has(was)) found.push({ kind: 'moved', path: here, from: [...path, was], old: old[was], now: now[at] })
      yield* compare(old[was], now[at], here, found, counter)
    }
  }
  const kept = new Set(names)
  for (const [at, name] of oldNames.entries())
    if (!kept.has(name)) found.push({ kind: 'removed', path: [...path, at], old: old[at] })
}

const NAME_KEYS = ['id', 'key', 'name'] as const

/** The names of all items of both lists, if each has a unique one: an id, or the item itself if it is text. */
function namesOf(...lists: (readonly unknown[])[]): (readonly unknown[] | undefined)[] {
  if (lists.some((list) => list.length === 0)) return []
  const by = (nameOf: (item: unknown) => unknown) => {
    const named: unknown[][] = []
    for (const list of lists) {
      // A set keeps the order; names are unique if it has as many as the list.
      const names = new Set<unknown>()
      for (const item of list) {
        const name = nameOf(item)
        if ((typeof name !== 'string' && typeof name !== 'number') || names.has(name)) return undefined
        names.add(name)
      }
      named.push([...names])
    }
    return named
  }
  for (const key of NAME_KEYS) {
    const named = by((item) => (isRecord(item) && Object.hasOwn(item, key) ? item[key] : undefined))
    if (named) return named
  }
  return by((item) => (typeof item === 'string' ? item : undefined)) ?? []
}

/** The largest set of places that are still in order; all others have moved. */
function inOrder(places: readonly number[]): Set<number> {
  const ends: number[] = []
  const before = new Map<number, number | undefined>()
  for (const place of places) {
    let [low, high] = [0, ends.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((ends[middle] as number) < place) low = middle + 1
      else high = middle
    }
    before.set(place, ends[low - 1])
    ends[low] = place
  }
  const kept = new Set<number>()
  for (let place = ends.at(-1); place !== undefined; place = before.get(place)) kept.add(place)
  return kept
}

/** Longest text by which two values count as the same one in another place. */
const LONGEST = 2_000

/** A value that was removed from one place and added to exactly one other has moved. */
function withMoves(found: readonly Difference[]): Difference[] {
  const gone = new Map<string, Difference | null>()
  const added = new Map<string, Difference | null>()
  for (const one of found) {
    const into = one.kind === 'removed' ? gone : one.kind === 'added' ? added : undefined
    const name = into && identity(one)
    if (into && name) into.set(name, into.has(name) ? null : one)
  }
  const replaced = new Map<Difference, Difference | undefined>()
  for (const [name, one] of added) {
    const from = gone.get(name)
    if (!one || !from) continue
    replaced.set(from, undefined)
    replaced.set(one, { ...one, kind: 'moved', from: from.path, old: from.old })
  }
  return found.flatMap((one) => (replaced.has(one) ? (replaced.get(one) ?? []) : one))
}

/** Identifies a value: itself, with its key if it is not distinctive. */
function identity({ path, kind, old, now }: Difference): string | undefined {
  const value = kind === 'removed' ? old : now
  const text = shortJson(value, LONGEST)
  if (text === undefined) return undefined
  return text.length > 10 ? text : `${String(path.at(-1))} ${text}`
}

/** Compact JSON of a value; undefined if it is longer than `limit`. Stops there, so it is cheap. */
export function shortJson(value: unknown, limit: number): string | undefined {
  let text = ''
  const put = (part: string) => {
    text += part
    return text.length <= limit
  }
  const print = (one: unknown): boolean => {
    if (typeof one === 'string') return one.length <= limit && put(JSON.stringify(one))
    if (isList(one)) return put('[') && one.every((item, at) => (at === 0 || put(',')) && print(item)) && put(']')
    if (isRecord(one))
      return (
        put('{') &&
        Object.keys(one).every((key, at) => put(`${at === 0 ? '' : ','}${JSON.stringify(key)}:`) && print(one[key])) &&
        put('}')
      )
    return put(String(one))
  }
  return print(value) ? text : undefined
}
