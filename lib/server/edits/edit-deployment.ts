import 'server-only'
import type { Deployment, DeploymentPatch } from '@/lib/contracts/deployments/deployments'
import type { Fingerprint, LastSeen, SavedEdit } from '@/lib/edit'
import { isRecord } from '@/lib/json/guards'
import { checkPatch } from './checked-patch'
import { entriesAt, fingerprintsOf, lastSeenOf } from './fingerprints'
import { type EditOptions, type EditPlace, type RawDeployment, readRaw } from './raw-deployment'
import { editRaw } from './raw-edit'

/** A deployment as its server gives it, in the default dialect, without its secrets. Not parsed: unknown fields are there. */
export type CurrentDeployment = Readonly<Record<string, unknown>> & Partial<Omit<Deployment, 'secrets'>>

/** As the operation takes it; a resource spec may also hold what its server gave and our rules do not know. */
export type EditPatch = Omit<DeploymentPatch, 'source_config' | 'secrets'> & {
  source_config?: Omit<NonNullable<DeploymentPatch['source_config']>, 'resource_spec'> & {
    resource_spec?: Readonly<Record<string, unknown>> | null
  }
}

/** The fields that a form edits: `source_config.build_on_push`, or `source_config.resource_spec.*` for each key of an object. */
export type EditedPaths = readonly string[]

export type DeploymentEdit = EditOptions & {
  place: EditPlace
  /** Made once per opened form: a repeat of it gives the answer of the first. */
  key: string
  /** What is asked for, for telling two requests with one key apart; only a keyed digest of it is kept. */
  input: unknown
  paths: EditedPaths
  seen: LastSeen
  /**
   * The request, given what is there now; whole objects, since the server replaces them. Pure: it is also asked what the
   * request would be where somebody else changed something, for the three-way view.
   */
  build: (current: CurrentDeployment) => EditPatch
}

/** A deployment for a form that edits these fields. For those who may change it only. Throws AppError forbidden. */
export async function readForEdit(
  place: EditPlace,
  paths: EditedPaths,
  options: EditOptions,
): Promise<{ current: CurrentDeployment; seen: LastSeen }> {
  const raw = await readRaw(place, options)
  return { current: raw.record, seen: seeAt(place, paths)(raw) }
}

/**
 * Changes fields of a deployment other than its secrets: checks under a lock that they are as the person saw them, sends what
 * `build` makes, reads again. Throws AppError conflict with the three-way view where they are not.
 */
export async function editDeployment(edit: DeploymentEdit): Promise<SavedEdit> {
  const { place, paths, build, seen } = edit
  const see = seeAt(place, paths)
  return await editRaw({
    ...edit,
    see,
    plan: (raw) => {
      const body = build(raw.record)
      checkPatch(body, raw.record)
      const { marks } = see(raw)
      return {
        body,
        fields: fieldNames(body),
        isNothing: isSame(marksAfter(place, paths, body, marks), marks),
        isThere: (now) => isThere(now.record, body, raw.record),
        unseen: 'The server still shows a field that was taken away; perhaps that is its default.',
      }
    },
    mine: ({ record }) => marksAfter(place, paths, build(record), seen.marks),
  })
}

const seeAt = (place: EditPlace, paths: EditedPaths) => (raw: RawDeployment) =>
  lastSeenOf(place.workspace, raw, fingerprintsOf(place.workspace, entriesAt(raw.record, paths)))

const WHOLE = new Set(['resource_spec', 'secret_references', 'tracked_packages'])

/** `source_config.build_on_push`: as deep as an update changes single fields. */
const fieldNames = (body: object): string[] =>
  Object.entries(body).flatMap(([name, value]) =>
    isRecord(value) && !WHOLE.has(name) ? Object.keys(value).map((key) => `${name}.${key}`) : [name],
  )

/** The marks after an update: of a path that it names, what it says; of the others, what they were. */
function marksAfter(
  { workspace }: EditPlace,
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
  const texts = (marks: readonly Fingerprint[]) =>
    marks
      .map(({ name, mark }) => `${name} ${mark}`)
      .sort()
      .join('\n')
  return texts(left) === texts(right)
}

/** Whether a record has all that was asked for; undefined where a part that was taken away is still as it was. */
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

/** Servers add defaults to what they are given, so more than what was asked is fine. */
function holds(now: unknown, asked: unknown): boolean {
  if (isUnset(asked)) return true
  if (Array.isArray(asked))
    return Array.isArray(now) && now.length === asked.length && asked.every((one, index) => holds(now[index], one))
  if (isRecord(asked)) return isRecord(now) && Object.entries(asked).every(([key, one]) => holds(now[key], one))
  return Object.is(now, asked) || String(now) === String(asked)
}
