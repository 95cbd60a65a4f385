import { secretNameProblem } from './deployment-rules'
import { looksMasked } from './secret-masks'

/**
 * An edit of the secrets by name, shared by the form, which has names only, and the server, which has the values.
 * Removals and renames apply first, so a renamed secret can get a new value; `set` then adds or replaces.
 */
export type SecretChange =
  | { kind: 'set'; name: string; value: string }
  | { kind: 'remove'; name: string }
  | { kind: 'rename'; from: string; to: string }

/** One line of the review: what happens to a secret. */
export type SecretOutcome = {
  kind: 'added' | 'replaced' | 'removed' | 'renamed' | 'renamed and replaced' | 'untouched'
  name: string
  /** The old name. */
  from?: string
}

/** A place in the resulting list: an existing secret (`from`), a new value, or both. */
type PlannedSecret = { name: string; from?: string; index?: number; value?: string }
export type ChangePlan = { places: PlannedSecret[]; removed: string[]; problems: SecretProblem[] }
export type SecretProblem = { name: string; message: string }

/** Longest value that a process can get as one variable. */
export const MAX_SECRET_LENGTH = 131_072
/** More than this is no list of settings. */
export const MAX_SECRETS = 2_000

/** The resulting list in its order, new secrets last. If there are problems, it must not be used. */
export function planChanges(names: readonly string[], changes: readonly SecretChange[], source?: string): ChangePlan {
  const problems: SecretProblem[] = []
  const refuse = (name: string, message: string) => problems.push({ name, message })
  const count = new Map<string, number>()
  for (const name of names) count.set(name, (count.get(name) ?? 0) + 1)

  const moves = new Map<string, string | null>()
  const sets = new Map<string, string>()
  for (const change of changes) {
    if (change.kind === 'set') {
      if (sets.has(change.name)) refuse(change.name, 'Set twice')
      sets.set(change.name, change.value)
      const message = valueProblem(change.value)
      if (message) refuse(change.name, message)
      continue
    }
    const name = change.kind === 'remove' ? change.name : change.from
    if (!count.has(name)) refuse(name, 'It no longer exists')
    if (moves.has(name)) refuse(name, 'Removed or renamed twice')
    if (change.kind === 'rename' && (count.get(name) ?? 0) > 1)
      refuse(name, 'Several secrets have this name: set or remove them')
    moves.set(name, change.kind === 'remove' ? null : change.to)
  }

  const places: PlannedSecret[] = []
  for (const [index, from] of names.entries()) {
    const to = moves.get(from)
    if (to !== null) places.push({ name: to ?? from, from, index })
  }
  checkNames(places, source, refuse) // before values are set, because two secrets of one name would become one
  for (const [name, value] of sets) {
    const [first, ...rest] = places.filter((place) => place.name === name)
    if (first) first.value = value
    else {
      const message = secretNameProblem(name, source)
      if (message) refuse(name, message)
      places.push({ name, value })
    }
    // Duplicates cannot be told apart, so the new value replaces all of them.
    for (const one of rest) if (one.from === name) places.splice(places.indexOf(one), 1)
  }
  if (places.length > MAX_SECRETS) refuse('', `A deployment has at most ${MAX_SECRETS} secrets here`)
  return { places, removed: [...moves].flatMap(([name, to]) => (to === null ? [name] : [])), problems }
}

/** Existing names are not checked: servers may accept names that we would reject. */
function checkNames(
  places: readonly PlannedSecret[],
  source: string | undefined,
  refuse: (name: string, message: string) => void,
) {
  const seen = new Map<string, PlannedSecret>()
  for (const place of places) {
    const isNew = place.from !== place.name
    const message = isNew ? secretNameProblem(place.name, source) : undefined
    if (message) refuse(place.name, message)
    const other = seen.get(place.name)
    if (other && (isNew || other.from !== other.name)) refuse(place.name, 'Another secret has this name')
    seen.set(place.name, place)
  }
}

/** The problem with a value, if any. */
export function valueProblem(value: string): string | undefined {
  if (value.length > MAX_SECRET_LENGTH) return 'The value is longer than 128 kB'
  if (looksMasked(value)) return 'This looks like a mask, not a value'
  if (value.includes('\0')) return 'A value cannot contain the character NUL'
  if (
    value !== value.replace(/[\ud800-\udbff][\udc00-\udfff]|[\ud800-\udfff]/g, (one) => (one.length === 2 ? one : ''))
  )
    return 'The value contains half a character (an unpaired surrogate), which cannot be sent'
  return undefined
}

/** What happens to each secret, in order, removed ones last. */
export function outcomesOf({ places, removed }: ChangePlan): SecretOutcome[] {
  const rows = places.map(({ name, from, value }): SecretOutcome => {
    if (from === undefined) return { kind: 'added', name }
    if (from !== name) return { kind: value === undefined ? 'renamed' : 'renamed and replaced', name, from }
    return { kind: value === undefined ? 'untouched' : 'replaced', name }
  })
  return [...rows, ...removed.map((name): SecretOutcome => ({ kind: 'removed', name }))]
}
