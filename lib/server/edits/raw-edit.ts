import 'server-only'
import { controlPlane } from '@/lib/contracts/control-plane'
import type { DeploymentPlace } from '@/lib/contracts/wire/places'
import { conflictRows, type EditSnapshot, type Fingerprint, type SavedEdit } from '@/lib/edit'
import { AppError } from '@/lib/errors'
import { clock } from '../process/clock'
import { call } from '../upstream/call'
import { LOOKUP_WAITS_MS } from './ambiguous-write'
import { fingerprintOf } from './fingerprints'
import { changeRaw, type EditOptions, type RawDeployment, type RawPatch, readRaw } from './raw-deployment'
import { guarded } from './safe-write'

/** Short, because the user has already waited for the response. */
const LOOKUP_TIMEOUT_MS = 8_000

// An update replaces whole lists and objects, so an edit reads under a lock, refuses if the state is not what the user saw,
// sends everything and reads again. Another program can still write in between; the last read reports that.

export type RawEdit = EditOptions & {
  place: DeploymentPlace
  /** The idempotency key of the form: a repeat gets the first result. */
  key: string
  /** Tells two requests with the same key apart. Only a keyed digest of it is stored. */
  input: unknown
  snapshot: EditSnapshot
  /** The state that a user sees now. */
  takeSnapshot: (raw: RawDeployment) => EditSnapshot
  /** Plans the update from the current state. Throws AppError if it is not possible. */
  plan: (raw: RawDeployment) => EditPlan
  /** The user's side of the three-way view: `snapshot` with the edit applied. */
  mine: (raw: RawDeployment) => Fingerprint[]
}

export type EditPlan = {
  body: RawPatch
  /** Names for the audit trail. */
  fields: string[]
  /** The update would change nothing. */
  isNothing: boolean
  /** Whether the update took effect; undefined if the server does not show it. */
  isThere: (now: RawDeployment) => boolean | undefined
  /** The note for the user if `isThere` is undefined. */
  unconfirmedNote: string
}

const CLOSER_LOOKS = 2

/** Makes an edit. Its AppErrors distinguish not saved, a concurrent edit (`conflict`) and an unknown outcome. */
export async function editRaw(edit: RawEdit): Promise<SavedEdit> {
  const { place, actor, key, input } = edit
  const told = fingerprintOf(place.workspace, { place, input, seen: edit.snapshot.digest })
  return await guarded(
    {
      operation: controlPlane.updateDeployment,
      place: inputOf(place),
      actor,
      idempotency: { key, operation: 'editDeployment', input: told },
      lock: ['deployment', place.workspace, place.deploymentId],
    },
    () => editAlone(edit),
  )
}
const inputOf = ({ workspace, deploymentId }: DeploymentPlace) => ({
  workspace,
  params: { deployment_id: deploymentId },
})

async function editAlone(edit: RawEdit): Promise<SavedEdit> {
  const { place, snapshot, takeSnapshot } = edit
  const before = await readRaw(place, edit)
  if (takeSnapshot(before).digest !== snapshot.digest) return await afterAnother(edit, before)
  const plan = edit.plan(before)
  if (plan.isNothing) return { revision: null, snapshot: takeSnapshot(before), note: 'No changes to save.' }
  return await changeRaw(place, edit, plan, (failure) => confirmOutcome(edit, plan, before, failure))
}

/** Handles a state that differs from `snapshot`: an inconsistent server, a change already made, or another edit. */
async function afterAnother(edit: RawEdit, before: RawDeployment): Promise<never | SavedEdit> {
  const { place, snapshot, takeSnapshot } = edit
  for (let look = 0; look < CLOSER_LOOKS; look++) {
    const again = takeSnapshot(await readRaw(place, edit))
    if (again.digest === takeSnapshot(before).digest) continue
    throw new AppError(
      'upstream_shape',
      'The server returns a different list on each read, so it is unknown what a change would overwrite. Nothing was sent. Try again later.',
    )
  }
  const now = takeSnapshot(before)
  const rows = conflictRows(snapshot.fingerprints, edit.mine(before), now.fingerprints)
  if (rows.every((row) => row.mine === row.theirs) && rows.some((row) => row.mine !== row.base))
    return { revision: null, snapshot: now, note: 'This change was already saved.' }
  throw conflict(
    edit,
    before,
    'Someone else has changed this since you opened it. Nothing was sent; compare both changes and decide.',
  )
}

function conflict(
  { snapshot, takeSnapshot, mine }: RawEdit,
  now: RawDeployment,
  message: string,
  failure?: AppError,
): AppError {
  const { conflict: _, code: __, message: ___, fields: ____, ...rest } = failure?.view ?? {}
  const view = takeSnapshot(now)
  return new AppError('conflict', message, {
    ...rest,
    cause: failure,
    conflict: { rows: conflictRows(snapshot.fingerprints, mine(now), view.fingerprints), now: view },
  })
}

/** Reads until the change is there or the waits are over. Returns SavedEdit, or throws: unknown, not saved or conflict. */
async function confirmOutcome(
  edit: RawEdit,
  plan: EditPlan,
  before: RawDeployment,
  failure?: AppError,
): Promise<SavedEdit> {
  const { place, takeSnapshot, actor, timeoutMs = LOOKUP_TIMEOUT_MS } = edit
  const { digest, latestRevision } = takeSnapshot(before)
  let now: RawDeployment | undefined
  for (const wait of LOOKUP_WAITS_MS) {
    await clock().pause(wait)
    const read = await readRaw(place, { actor, timeoutMs }).catch(() => undefined)
    if (!read) continue
    now = read
    const isNew = now.latestRevision !== latestRevision
    // If the server hides values, a new revision is the only sign that it stored them.
    const shown = plan.isThere(now)
    if (!(shown ?? (isNew || !failure))) continue
    const overtaken = isNew ? await revisionsBetween(edit, latestRevision, now.latestRevision) : []
    return saved(edit, now, {
      isNew,
      overtaken,
      unconfirmedNote: shown === undefined ? plan.unconfirmedNote : undefined,
      failure,
    })
  }
  const { code, fields: _, message: __, ...view } = failure?.view ?? new AppError('upstream_failed', '').view
  const why = failure ? failure.message : 'The server reported that it saved this.'
  if (!now) {
    const message = failure
      ? `${why} It is unknown whether the change was saved, because checking failed. Reload before you try again.`
      : `${why} The console could not confirm it. Reload to check.`
    throw new AppError(code, message, { ...view, cause: failure })
  }
  const hasMoved = takeSnapshot(now).digest !== digest
  if (!hasMoved && failure)
    throw new AppError(code, `${why} The console checked: so far the change was not saved. You can try again.`, {
      ...view,
      cause: failure,
    })
  if (!hasMoved) throw new AppError('upstream_failed', `${why} But nothing has changed. The change was not saved.`)
  throw conflict(
    edit,
    now,
    failure
      ? `${why} The current values are neither the old nor the new ones: someone else may have changed them at the same moment. Compare both before you continue.`
      : `${why} But the current values differ from yours: someone else changed them at the same moment, or the server stored something else. Compare both before you continue.`,
    failure,
  )
}

type Found = { isNew: boolean; overtaken: string[]; unconfirmedNote?: string; failure?: AppError }

function saved(
  { takeSnapshot }: RawEdit,
  now: RawDeployment,
  { isNew, overtaken, unconfirmedNote, failure }: Found,
): SavedEdit {
  const notes = [
    failure && 'The server reported a failure, but the change was saved.',
    unconfirmedNote,
    overtaken.length > 0 &&
      'Someone else changed the deployment while this was being saved. Their changes may be overwritten: compare the revisions.',
  ].filter((note) => typeof note === 'string')
  return {
    revision: isNew ? now.latestRevision : null,
    snapshot: takeSnapshot(now),
    ...(overtaken.length > 0 && { overtaken }),
    ...(notes.length > 0 && { note: notes.join(' ') }),
  }
}

/**
 * The ids of revisions created between our read and our write. They are the only sign of a writer outside this console
 * whom we overwrote.
 */
async function revisionsBetween(edit: RawEdit, before: string | null, after: string | null): Promise<string[]> {
  const { place, actor, timeoutMs } = edit
  const query = { limit: 20 }
  try {
    const { resources } = await call(controlPlane.listRevisions, { ...inputOf(place), query }, { actor, timeoutMs })
    const ids = resources.map(({ id }) => id)
    const [ours, theirs] = [ids.indexOf(after ?? ''), ids.indexOf(before ?? '')]
    return ours === -1 || (theirs === -1 && before !== null)
      ? []
      : ids.slice(ours + 1, theirs === -1 ? undefined : theirs)
  } catch (error) {
    if (error instanceof AppError) return [] // some servers have no revision list; the edit is saved anyway
    throw error
  }
}
