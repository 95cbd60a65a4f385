import 'server-only'
import type { Deployment, DeploymentPatch } from '@/lib/contracts/deployments/deployments'
import type { DeploymentPlace } from '@/lib/contracts/wire/places'
import type { EditSnapshot, SavedEdit } from '@/lib/edit'
import { isRecord } from '@/lib/json/guards'
import { checkPatch } from './checked-patch'
import { entriesAt, fingerprintsOf, snapshotOf } from './fingerprints'
import { type EditOptions, type RawDeployment, readRaw } from './raw-deployment'
import { editRaw } from './raw-edit'
import { fingerprintsAfter, isPatchThere, isSame, WHOLE } from './saved-check'

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
        isThere: (now) => isPatchThere(now.record, body, raw.record),
        unconfirmedNote: 'The server still returns a removed field; it may be the default.',
      }
    },
    mine: ({ record }) => fingerprintsAfter(place, paths, build(record), snapshot.fingerprints),
  })
}

const snapshotAt = (place: DeploymentPlace, paths: EditedPaths) => (raw: RawDeployment) =>
  snapshotOf(place.workspace, raw, fingerprintsOf(place.workspace, entriesAt(raw.record, paths)))

/** Field names such as `source_config.build_on_push`, as deep as an update changes single fields. */
const fieldNames = (body: object): string[] =>
  Object.entries(body).flatMap(([name, value]) =>
    isRecord(value) && !WHOLE.has(name) ? Object.keys(value).map((key) => `${name}.${key}`) : [name],
  )
