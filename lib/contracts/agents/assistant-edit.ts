import { isSameJson } from '@/lib/json/difference'
import type { JsonObject } from '../wire/fields'
import type { Assistant } from './assistants'

/** What of an assistant can be changed. Its graph is chosen when it is made. */
export type AssistantDraft = {
  name: string
  description: string
  context: JsonObject
  config: JsonObject
  metadata: JsonObject
}
export const DRAFT_FIELDS = ['name', 'description', 'context', 'config', 'metadata'] as const
export type DraftField = (typeof DRAFT_FIELDS)[number]

export const draftOf = (one: Pick<Assistant, 'name' | 'description' | DraftField>): AssistantDraft => ({
  name: one.name ?? '',
  description: one.description ?? '',
  context: one.context,
  config: one.config,
  metadata: one.metadata,
})

export const changedFields = (before: AssistantDraft, after: AssistantDraft): DraftField[] =>
  DRAFT_FIELDS.filter((field) => !isSameJson(before[field], after[field]))

/**
 * The update that makes `after` of `before`. An update replaces context and configuration whole, so the context is always
 * complete in it; metadata is merged, so of it only what changed goes out.
 */
export function patchOf(before: AssistantDraft, after: AssistantDraft) {
  const changed = new Set(changedFields(before, after))
  const metadata = Object.entries(after.metadata).filter(
    ([key, value]) => !Object.hasOwn(before.metadata, key) || !isSameJson(before.metadata[key], value),
  )
  return {
    ...(changed.has('name') && { name: after.name }),
    ...(changed.has('description') && { description: after.description }),
    ...(changed.has('config') && { config: after.config }),
    ...(metadata.length > 0 && { metadata: Object.fromEntries(metadata) }),
    context: after.context,
  }
}

/** Keys that were taken out of the metadata: servers merge it, so they would stay. */
export const keptMetadata = (before: AssistantDraft, after: AssistantDraft): string[] =>
  Object.keys(before.metadata).filter((key) => !Object.hasOwn(after.metadata, key))

/** What came of a write. Records are JSON text, so that no number of them is changed on its way. */
export type AssistantOutcome =
  | {
      kind: 'saved'
      assistant: string
      note?: string
      /** An activated version of which the server kept other fields. `wanted` is its content, a draft as JSON text. */
      differs?: { fields: DraftField[]; wanted: string }
    }
  /** Somebody else changed it since; nothing was sent. `now` is what is there. */
  | { kind: 'conflict'; message: string; now: string }

/** A write to an assistant from this console, as its audit trail has it. */
export type AssistantChange = {
  seq: number
  /** When it was about to be sent, and when its answer was there. ISO times. */
  at: string
  until: string | null
  who: string
  operation: 'createAssistant' | 'updateAssistant' | 'setLatestAssistantVersion'
}
