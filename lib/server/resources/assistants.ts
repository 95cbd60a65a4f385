import 'server-only'
import { agentServer } from '@/lib/contracts/agent-server'
import {
  type AssistantDraft,
  type AssistantOutcome,
  changedFields,
  draftOf,
  keptMetadata,
  patchOf,
} from '@/lib/contracts/agents/assistant-edit'
import type { Assistant } from '@/lib/contracts/agents/assistants'
import type { AssistantPlace } from '@/lib/contracts/wire/places'
import { holdsRedacted } from '@/lib/contracts/wire/redact'
import { AppError, type FieldError } from '@/lib/errors'
import { isSameJson } from '@/lib/json/difference'
import { printJson } from '@/lib/json/lossless'
import type { Actor } from '../access/actor'
import { idFromKey } from '../edits/idempotency'
import type { LockKey } from '../edits/lock'
import { safeCreate, safeWrite } from '../edits/safe-write'
import { call } from '../upstream/call'

// An update replaces an assistant's whole context and activates a new version. So a save reads under a lock, refuses if the
// assistant is not what the user saw, sends everything and looks ambiguous failures up.
const inputOf = ({ workspace, deploymentId, assistant }: AssistantPlace) => ({
  workspace,
  deploymentId,
  params: { assistant_id: assistant },
})
const lockOf = ({ workspace, deploymentId, assistant }: AssistantPlace): LockKey => [
  'assistant',
  workspace,
  deploymentId,
  assistant,
]

export type AssistantEdit = {
  place: AssistantPlace
  /** The idempotency key of the form: a repeat gets the first result. */
  key: string
  /** The assistant as the user opened it. `draft` is the same with their changes. */
  base: AssistantDraft
  draft: AssistantDraft
}

/** Saves the next version of an assistant; a concurrent change is an outcome of kind `conflict`. Throws AppError. */
export async function saveAssistant(
  { place, key, base, draft }: AssistantEdit,
  actor: Actor,
): Promise<AssistantOutcome> {
  return await safeWrite<Assistant, AssistantOutcome>({
    operation: agentServer.updateAssistant,
    place: inputOf(place),
    actor,
    idempotency: { key, operation: 'saveAssistant', input: { place, base: printJson(base), draft: printJson(draft) } },
    lock: lockOf(place),
    assertValid: () => {
      const problems = problemsOf(base, draft)
      if (problems.length > 0)
        throw new AppError('invalid', 'Some fields cannot be saved like this. Nothing was sent.', { fields: problems })
    },
    read: () => readAssistant(place, actor),
    check: (before) => {
      const theirs = draftOf(before)
      if (isSameJson(theirs, draft)) return saved(before, 'No changes to save.')
      if (isSameJson(theirs, base)) return undefined
      return {
        kind: 'conflict',
        message:
          'Someone else has changed this assistant since you opened it. Nothing was sent; compare both changes and decide.',
        now: printJson(before),
      }
    },
    send: async () => {
      const body = patchOf(base, draft)
      const after = await call(agentServer.updateAssistant, { ...inputOf(place), body }, { actor })
      const isStored = isSameJson(after.context, draft.context)
      return saved(after, isStored ? undefined : 'Saved, but the server stored a different context. Check it.')
    },
    isSame: (now, before) => now.version !== before.version && isSameJson(draftOf(now), draft),
    resultOf: saved,
  })
}

const readAssistant = (place: AssistantPlace, actor: Actor): Promise<Assistant> =>
  call(agentServer.getAssistant, inputOf(place), { actor })

const saved = (assistant: Assistant, note?: string): AssistantOutcome => ({
  kind: 'saved',
  assistant: printJson(assistant),
  ...(note && { note }),
})

/** Problems of a draft: redacted credentials, and removed metadata keys, which the server would keep. */
function problemsOf(base: AssistantDraft, draft: AssistantDraft): FieldError[] {
  const masked = !isSameJson(base.config, draft.config) && holdsRedacted(draft.config)
  const maskedContext = holdsRedacted(draft.context)
  const message =
    'It contains [redacted] in place of a credential, and saving would overwrite it. Enter the value, or leave this unchanged.'
  return [
    ...(masked ? [{ path: ['config'], message }] : []),
    ...(maskedContext ? [{ path: ['context'], message }] : []),
    ...keptMetadata(base, draft).map((key) => ({
      path: ['metadata', key],
      message: 'The server merges metadata, so a key cannot be removed. Set it to null instead.',
    })),
  ]
}

export type AssistantCreation = {
  workspace: string
  deploymentId: string
  key: string
  graph: string
  draft: AssistantDraft
}

/** Creates an assistant. Its id is derived from the key, so a repeated request cannot create two. */
export async function createAssistant(
  { workspace, deploymentId, key, graph, draft }: AssistantCreation,
  actor: Actor,
): Promise<AssistantOutcome> {
  const assistant = idFromKey([actor.id, workspace, deploymentId, key])
  const place = { workspace, deploymentId, assistant }
  const { name, description, context, config, metadata } = draft
  const body = {
    graph_id: graph,
    assistant_id: assistant,
    if_exists: 'do_nothing' as const,
    name,
    context,
    ...(description && { description }),
    ...(Object.keys(config).length > 0 && { config }),
    ...(Object.keys(metadata).length > 0 && { metadata }),
  }
  const input = { workspace, deploymentId, body }
  return await safeCreate<Assistant, AssistantOutcome>({
    operation: agentServer.createAssistant,
    place: input,
    actor,
    idempotency: { key, operation: 'createAssistant', input: printJson(body) },
    read: () => readAssistant(place, actor).catch(gone),
    send: async () => saved(await call(agentServer.createAssistant, input, { actor })),
    resultOf: saved,
  })
}

export type Activation = {
  place: AssistantPlace
  key: string
  version: number
  /** The version that was active when the user chose. */
  expectedVersion: number
}

/**
 * Activates another version and compares the content afterwards, because some servers change only the number. Throws AppError
 * conflict if the active version is no longer `expectedVersion`.
 */
export async function activateVersion(
  { place, key, version, expectedVersion }: Activation,
  actor: Actor,
): Promise<AssistantOutcome> {
  const outcome = await safeWrite<Assistant, AssistantOutcome>({
    operation: agentServer.setLatestAssistantVersion,
    place: inputOf(place),
    actor,
    idempotency: { key, operation: 'setLatestAssistantVersion', input: { place, version, expectedVersion } },
    lock: lockOf(place),
    read: () => readAssistant(place, actor),
    check: (before) => {
      if (before.version === version) return saved(before, 'It is already the active version. Nothing was sent.')
      if (before.version === expectedVersion) return undefined
      throw new AppError(
        'conflict',
        `Someone else activated version ${before.version}. Nothing was sent; check it, then decide.`,
      )
    },
    send: async () =>
      saved(await call(agentServer.setLatestAssistantVersion, { ...inputOf(place), body: { version } }, { actor })),
    isSame: (now) => now.version === version,
    resultOf: saved,
  })
  return outcome.kind === 'saved' ? await compared(outcome, place, version, actor) : outcome
}

/** The most versions that one request returns. */
const MOST_VERSIONS = 1_000

/** Adds what the server did not take from the version. Fields that its version records lack are not compared. */
async function compared(
  outcome: AssistantOutcome & { kind: 'saved' },
  place: AssistantPlace,
  version: number,
  actor: Actor,
): Promise<AssistantOutcome> {
  const body = { limit: MOST_VERSIONS }
  const list = await call(agentServer.listAssistantVersions, { ...inputOf(place), body }, { actor }).catch(() => [])
  const wanted = list.find((one) => one.version === version)
  if (!wanted) {
    const unknown = 'It is unknown whether the server restored its content: the version could not be read.'
    return { ...outcome, note: [outcome.note, unknown].filter(Boolean).join(' ') }
  }
  const now = await readAssistant(place, actor)
  const draft = draftOf({ ...now, ...wanted })
  const fields = changedFields(draftOf(now), draft)
  if (fields.length === 0) return outcome
  return { ...outcome, assistant: printJson(now), differs: { fields, wanted: printJson(draft) } }
}

/** Deletes an assistant with all its versions, and optionally its threads. A missing assistant is not an error. */
export async function deleteAssistant(
  place: AssistantPlace,
  { key, deletesThreads }: { key: string; deletesThreads: boolean },
  actor: Actor,
): Promise<{ note?: string }> {
  const input = { ...inputOf(place), query: { delete_threads: deletesThreads } }
  return await safeWrite<Assistant | undefined, { note?: string }>({
    operation: agentServer.deleteAssistant,
    place: input,
    actor,
    idempotency: { key, operation: 'deleteAssistant', input: { place, deletesThreads } },
    read: () => readAssistant(place, actor).catch(gone),
    check: (before) => (before ? undefined : { note: 'It was already deleted.' }),
    send: async () => {
      await call(agentServer.deleteAssistant, input, { actor }).catch(gone)
      return {}
    },
    isSame: (now) => now === undefined,
    resultOf: (_now, note) => ({ note }),
  })
}

function gone(error: unknown): undefined {
  if (!(error instanceof AppError) || error.code !== 'not_found') throw error
}
