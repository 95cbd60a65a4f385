import 'server-only'
import type { Deployment, DeploymentPatch } from '@/lib/contracts/deployments/deployments'
import type { DeploymentPlace } from '@/lib/contracts/wire/places'
import type { EditSnapshot, Fingerprint, SavedEdit } from '@/lib/edit'
import { isRecord } from '@/lib/json/guards'
import { checkPatch } from './checked-patch'
import { entriesAt, fingerprintsOf, snapshotOf } from './fingerprints'
import { type EditOptions, type RawDeployment, readRaw } from './raw-deployment'
import { editRaw } from './raw-edit'

/** A deployment as its server returns it, in the default dialect, without secrets. Unparsed, so it keeps unknown fields. */
export type CurrentDeployment = Readonly<Record<string, unknown>> & Partial<Omit<Deployment, 'secrets'>>

/** The body of an update. A resource spec may also hold fields that only its server knows. */
export type EditPatch = Omit<DeploymentPatch, 'source_config' | 'secrets'> & {
  source_config?: Omit<NonNullable<DeploymentPatch['source_config']>, 'resource_spec'> & {
    resource_spec?: Readonly<Record<string, unknown>> | null
  }
}

/** The fields that a form edits: `source_config.build_on_push`, or `source_config.resource_spec.*` for each key of an object. */
export type EditedPaths = readonly string[]

export type DeploymentEdit = EditOptions & {
  place: DeploymentPlace
  /** The idempotency key, created once per opened form: a repeat gets the first result. */
  key: string
  /** Tells two requests with the same key apart. Only a keyed digest of it is stored. */
  input: unknown
  paths: EditedPaths
  snapshot: EditSnapshot
  /**
   * Builds the request from the current deployment, with whole objects, since the server replaces them. It must be pure:
   * after a conflict it is called again for the three-way view.
   */
  build: (current: CurrentDeployment) => EditPatch
}

/** Reads a deployment for a form that edits these fields. Throws AppError forbidden for users who may not change it. */
export async function readForEdit(
  place: DeploymentPlace,
  paths: EditedPaths,
  options: EditOptions,
): Promise<{ current: CurrentDeployment; snapshot: EditSnapshot }> {
  const raw = await readRaw(place, options)
  return { current: raw.record, snapshot: snapshotAt(place, paths)(raw) }
}

/**
 * Changes fields of a deployment other than its secrets: under a lock it compares them with `snapshot`, sends what `build`
 * returns and reads again. Throws AppError conflict with the three-way view where they differ from `snapshot`.
 */
export async function editDeployment(edit: DeploymentEdit): Promise<SavedEdit> {
  const { place, paths, build, snapshot } = edit
  const takeSnapshot = snapshotAt(place, paths)
  return await editRaw({
    ...edit,
    takeSnapshot,
    plan: (raw) => {
      const body = build(raw.record)
      checkPatch(body, raw.record)
      const { fingerprints } = takeSnapshot(raw)
      return {
        body,
        fields: fieldNames(body),
        isNothing: isSame(fingerprintsAfter(place, paths, body, fingerprints), fingerprints),
        isThere: (now) => isThere(now.record, body, raw.record),
        unconfirmedNote: 'The server still returns a removed field; it may be the default.',
      }
    },
    mine: ({ record }) => fingerprintsAfter(place, paths, build(record), snapshot.fingerprints),
  })
}

const snapshotAt = (place: DeploymentPlace, paths: EditedPaths) => (raw: RawDeployment) =>
  snapshotOf(place.workspace, raw, fingerprintsOf(place.workspace, entriesAt(raw.record, paths)))

const WHOLE = new Set(['resource_spec', 'secret_references', 'tracked_packages'])

/** Field names such as `source_config.build_on_push`, as deep as an update changes single fields. */
const fieldNames = (body: object): string[] =>
  Object.entries(body).flatMap(([name, value]) =>
    isRecord(value) && !WHOLE.has(name) ? Object.keys(value).map((key) => `${name}.${key}`) : [name],
  )

/** The fingerprints after an update: new for the paths that it sets, unchanged for the others. */
function fingerprintsAfter(
  { workspace }: DeploymentPlace,
  paths: EditedPaths,
  body: object,
  before: readonly Fingerprint[],
): Fingerprint[] {
  return paths.flatMap((path) => {
    const name = path.replace(/\.\*$/, '')
    const isGiven = entriesAt({ ...body }, [name]).some(({ value }) => value !== undefined && value !== null)
    if (isGiven) return fingerprintsOf(workspace, entriesAt({ ...body }, [path]))
    return before.filter((one) => one.name === name || one.name.startsWith(`${name}.`))
  })
}

function isSame(left: readonly Fingerprint[], right: readonly Fingerprint[]): boolean {
  const texts = (fingerprints: readonly Fingerprint[]) =>
    fingerprints
      .map(({ name, hash }) => `${name} ${hash}`)
      .sort()
      .join('\n')
  return texts(left) === texts(right)
}

/** Whether a record holds everything that was asked for; undefined if a removed part is still there. */
function isThere(now: object, body: object, before: object): boolean | undefined {
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
