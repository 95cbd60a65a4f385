import 'server-only'
import type { SecretChange } from '@/lib/contracts/deployments/secret-changes'
import type { DeploymentPlace } from '@/lib/contracts/wire/places'
import type { Fingerprint } from '@/lib/edit'
import { isRecord } from '@/lib/json/guards'
import { entriesAt, fingerprintsOf } from './fingerprints'
import type { RawDeployment, RawSecret } from './raw-deployment'
import { hiddenOf, rememberMask } from './secret-fingerprints'

// Whether a deployment has what an edit asked for.

/** Fields that an update replaces as a whole. */
export const WHOLE = new Set(['resource_spec', 'secret_references', 'tracked_packages'])

/** The fingerprints after an update: new for the paths that it sets, unchanged for the others. */
export function fingerprintsAfter(
  { workspace }: DeploymentPlace,
  paths: readonly string[],
  body: object,
  before: readonly Fingerprint[],
): Fingerprint[] {
  return paths.flatMap((path) => {
    const name = path.replace(/\.\*$/, '')
    const [given] = entriesAt({ ...body }, [name])
    if (!isUnset(given?.value)) return fingerprintsOf(workspace, entriesAt({ ...body }, [path]))
    return before.filter((one) => one.name === name || one.name.startsWith(`${name}.`))
  })
}

export function isSame(left: readonly Fingerprint[], right: readonly Fingerprint[]): boolean {
  const texts = (fingerprints: readonly Fingerprint[]) =>
    fingerprints
      .map(({ name, hash }) => `${name} ${hash}`)
      .sort()
      .join('\n')
  return texts(left) === texts(right)
}

/** Whether a record holds everything that was asked for; undefined if a removed part is still there. */
export function isPatchThere(now: object, body: object, before: object): boolean | undefined {
  if (!holds(now, body)) return false
  const kept = Object.entries(at(body, 'source_config') ?? {}).some(([name, asked]) => {
    const [was, is] = [at(at(before, 'source_config'), name), at(at(now, 'source_config'), name)]
    if (!WHOLE.has(name) || !isRecord(asked) || !isRecord(was) || !isRecord(is)) return false
    return Object.keys(was).some((key) => isUnset(asked[key]) && !isUnset(was[key]) && holds(is[key], was[key]))
  })
  return kept ? undefined : true
}
const at = (value: unknown, key: string): unknown => (isRecord(value) ? value[key] : undefined)
const isUnset = (value: unknown) => value === undefined || value === null

/** Whether `now` contains `asked`. Servers add defaults, so extra fields are fine. */
function holds(now: unknown, asked: unknown): boolean {
  if (isUnset(asked)) return true
  if (Array.isArray(asked))
    return Array.isArray(now) && now.length === asked.length && asked.every((one, index) => holds(now[index], one))
  if (isRecord(asked)) return isRecord(now) && Object.entries(asked).every(([key, one]) => holds(now[key], one))
  return Object.is(now, asked) || String(now) === String(asked)
}

/** Compares names and values as a set: the server may reorder the list. Undefined where values are hidden. */
export function areSecretsThere(
  place: DeploymentPlace,
  now: RawDeployment,
  sent: readonly { name: string; value: string }[],
  changes: readonly SecretChange[],
): boolean | undefined {
  if (!now.secrets) return undefined
  const left = new Map<string, RawSecret[]>()
  for (const one of now.secrets) left.set(one.name, [...(left.get(one.name) ?? []), one])
  if (now.secrets.length !== sent.length || sent.some(({ name }) => !left.has(name))) return false
  catchMasks(place, now.secrets, changes)
  const hidden = hiddenOf(place, now)
  const shown = new Set(now.secrets.filter((_, index) => !hidden.has(index)))
  const isAsSent = sent.every(({ name, value }) => {
    const same = left.get(name) ?? []
    const at = same.findIndex((one) => one.value === value || !shown.has(one))
    if (at !== -1) same.splice(at, 1)
    return at !== -1
  })
  return isAsSent ? (hidden.size > 0 ? undefined : true) : false
}

/** Detects masks of any form: the server returns another text for a value that was sent, and other secrets share that text. */
function catchMasks(place: DeploymentPlace, now: readonly RawSecret[], changes: readonly SecretChange[]): void {
  const sent = new Map(changes.flatMap((one) => (one.kind === 'set' ? [[one.name, one.value]] : [])))
  const counts = new Map<string | null, number>()
  for (const { value } of now) counts.set(value, (counts.get(value) ?? 0) + 1)
  for (const { name, value } of now)
    if (value !== null && sent.has(name) && sent.get(name) !== value && (counts.get(value) ?? 0) > 1)
      rememberMask(place, value)
}
