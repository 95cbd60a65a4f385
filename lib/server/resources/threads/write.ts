import 'server-only'
import { agentServer } from '@/lib/contracts/agent-server'
import type { CheckpointPlace, MetadataOutcome, StateOutcome } from '@/lib/contracts/agents/thread-edit'
import type { OutputOf } from '@/lib/contracts/wire/api'
import type { JsonObject } from '@/lib/contracts/wire/fields'
import type { ThreadPlace } from '@/lib/contracts/wire/places'
import { holdsRedacted } from '@/lib/contracts/wire/redact'
import { AppError } from '@/lib/errors'
import { isSameJson } from '@/lib/json/difference'
import { printJson } from '@/lib/json/lossless'
import type { Actor } from '../../access/actor'
import { idFromKey, withIdempotencyKey } from '../../edits/idempotency'
import type { LockKey } from '../../edits/lock'
import { safeCreate, safeWrite } from '../../edits/safe-write'
import { call } from '../../upstream/call'
import { authorize } from '../../upstream/call-context'

const inputOf = ({ workspace, deploymentId, thread }: ThreadPlace) => ({
  workspace,
  deploymentId,
  params: { thread_id: thread },
})
const lockOf = ({ workspace, deploymentId, thread }: ThreadPlace): LockKey => [
  'thread',
  workspace,
  deploymentId,
  thread,
]

export type ThreadCreation = {
  workspace: string
  deploymentId: string
  key: string
  metadata: JsonObject
  /** Minutes after its last change until it is deleted. Without it the thread is kept. */
  ttlMinutes?: number
}

/** Creates a thread. Its id is derived from the key, so a repeated request cannot create two. */
export async function createThread(
  { workspace, deploymentId, key, metadata, ttlMinutes }: ThreadCreation,
  actor: Actor,
): Promise<{ thread: string; note?: string }> {
  const thread = idFromKey([actor.id, workspace, deploymentId, key])
  const body = {
    thread_id: thread,
    if_exists: 'do_nothing' as const,
    metadata,
    ...(ttlMinutes !== undefined && { ttl: { strategy: 'delete' as const, ttl: ttlMinutes } }),
  }
  return await safeCreate<LightThread, { thread: string; note?: string }>({
    operation: agentServer.createThread,
    place: { workspace, deploymentId, body },
    actor,
    idempotency: { key, operation: 'createThread', input: printJson(body) },
    read: () => lightThread({ workspace, deploymentId, thread }, actor),
    send: async () => {
      const made = await call(agentServer.createThread, { workspace, deploymentId, body }, { actor })
      return { thread: made.thread_id }
    },
    resultOf: (_made, note) => ({ thread, note }),
  })
}

/** Copies a thread with its whole history. A repeat with the same key gets the first copy. */
export async function copyThread(place: ThreadPlace, key: string, actor: Actor): Promise<{ thread: string }> {
  await authorize(agentServer.copyThread, inputOf(place), actor)
  return await withIdempotencyKey({ actor, key, operation: 'copyThread', input: place }, async () => {
    const made = await call(agentServer.copyThread, inputOf(place), { actor })
    return { thread: made.thread_id }
  })
}

export type MetadataEdit = { place: ThreadPlace; key: string; base: JsonObject; metadata: JsonObject }

/** Changes single keys of a thread's metadata. If somebody else changed the same key, the outcome is of kind `conflict`. */
export async function saveMetadata(
  { place, key, base, metadata }: MetadataEdit,
  actor: Actor,
): Promise<MetadataOutcome> {
  const own = (object: JsonObject, name: string) => (Object.hasOwn(object, name) ? object[name] : undefined)
  const names = Object.keys(metadata).filter((name) => !isSameJson(own(base, name), metadata[name]))
  const change = Object.fromEntries(names.map((name) => [name, metadata[name]]))
  const isSet = (now: JsonObject) => names.every((name) => isSameJson(own(now, name), metadata[name]))
  return await safeWrite<JsonObject, MetadataOutcome>({
    operation: agentServer.updateThread,
    place: inputOf(place),
    actor,
    idempotency: {
      key,
      operation: 'saveThreadMetadata',
      input: { place, base: printJson(base), metadata: printJson(metadata) },
    },
    lock: lockOf(place),
    assertValid: () => {
      const lost = Object.keys(base).filter((name) => !Object.hasOwn(metadata, name))
      if (lost.length > 0)
        throw new AppError(
          'invalid',
          `The server merges metadata, so ${lost.join(', ')} cannot be removed. Set it to null instead.`,
        )
      if (holdsRedacted(change))
        throw new AppError('invalid', 'It contains [redacted] in place of a credential, and saving would overwrite it.')
    },
    read: () => readLight(place, actor),
    check: (before) => {
      if (isSet(before)) return { kind: 'saved', note: 'No changes to save.' }
      const changed = names.filter((name) => !isSameJson(own(before, name), own(base, name)))
      if (changed.length === 0) return undefined
      return {
        kind: 'conflict',
        message: `Someone else has changed ${changed.join(', ')} since you opened this. Nothing was sent.`,
        now: printJson(before),
      }
    },
    send: async () => {
      await call(agentServer.updateThread, { ...inputOf(place), body: { metadata: change } }, { actor })
      return { kind: 'saved' }
    },
    isSame: isSet,
    resultOf: (_now, note) => ({ kind: 'saved', note }),
  })
}

type LightThread = { thread_id: string; metadata: JsonObject }
const LIGHT = ['thread_id', 'status', 'metadata', 'updated_at']

/** The thread without its values; undefined if there is none or the server cannot search by id. */
async function lightThread(
  { workspace, deploymentId, thread }: ThreadPlace,
  actor: Actor,
): Promise<LightThread | undefined> {
  const body = { ids: [thread], select: LIGHT, limit: 1 }
  const found = await call(agentServer.searchThreads, { workspace, deploymentId, body }, { actor })
  return found.find((one) => one.thread_id === thread)
}

const readLight = async (place: ThreadPlace, actor: Actor): Promise<JsonObject> =>
  ((await lightThread(place, actor)) ?? (await call(agentServer.getThread, inputOf(place), { actor }))).metadata

export type StateEdit = {
  place: ThreadPlace
  key: string
  /** The checkpoint to write on: the new one becomes its child. */
  base: CheckpointPlace
  /** The newest checkpoint when the user began. */
  expectedCheckpoint: string
  /** Write even if the thread has moved on, as a fork. */
  isFork: boolean
  values: JsonObject
  /** The node to write as. Without it the server picks one if it can. */
  asNode?: string
}

/** Writes a state as a node would, in a new checkpoint. Older checkpoints stay in the history. */
export async function updateState(edit: StateEdit, actor: Actor): Promise<StateOutcome> {
  const { place, key, base, expectedCheckpoint, isFork, values, asNode } = edit
  const body = {
    values,
    ...(asNode && { as_node: asNode }),
    ...(base.id && {
      checkpoint: {
        thread_id: place.thread,
        checkpoint_ns: base.ns,
        checkpoint_id: base.id,
        ...(base.map && { checkpoint_map: base.map }),
      },
    }),
  }
  return await safeWrite<OutputOf<typeof agentServer.getThreadState>, StateOutcome>({
    operation: agentServer.updateThreadState,
    place: inputOf(place),
    actor,
    idempotency: { key, operation: 'updateThreadState', input: printJson({ ...edit, key: '' }) },
    lock: lockOf(place),
    read: () => {
      const query = { select: 'checkpoint,parent_checkpoint,metadata,created_at' }
      return call(agentServer.getThreadState, { ...inputOf(place), query }, { actor })
    },
    check: (before) => {
      const newest = newestOf(before) ?? ''
      if (newest === expectedCheckpoint || isFork) return undefined
      const message = 'The thread has changed since you opened it: there is a newer checkpoint. Nothing was sent.'
      return { kind: 'moved', newest, message }
    },
    send: async () => {
      const { checkpoint } = await call(agentServer.updateThreadState, { ...inputOf(place), body }, { actor })
      return { kind: 'saved', checkpoint: checkpoint?.checkpoint_id ?? null }
    },
    // A write to a subgraph does not change the thread's newest checkpoint, so it cannot be confirmed here.
    isSame: (now, before) =>
      newestOf(now) !== newestOf(before) &&
      (now.parent_checkpoint?.checkpoint_id ?? '') === base.id &&
      now.metadata?.source === 'update',
    resultOf: (now, note) => ({ kind: 'saved', checkpoint: newestOf(now) ?? null, note }),
  })
}

const newestOf = ({ checkpoint }: OutputOf<typeof agentServer.getThreadState>) => checkpoint?.checkpoint_id
