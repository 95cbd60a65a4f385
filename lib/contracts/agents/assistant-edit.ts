import { isSameJson } from '@/lib/json/difference'
import type { JsonObject } from '../wire/fields'
import type { Assistant } from './assistants'

/** The changeable fields of an assistant. Its graph is fixed once created. */
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
 * The update that turns `before` into `after`. Updates replace context and configuration, so these are always complete;
 * metadata is merged, so it only has the changed keys.
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

/** Keys removed from the metadata. Servers merge it, so these would stay. */
export const keptMetadata = (before: AssistantDraft, after: AssistantDraft): string[] =>
  Object.keys(before.metadata).filter((key) => !Object.hasOwn(after.metadata, key))

/** Outcome of a write. Records are JSON text, so that no number changes on the way. */
export type AssistantOutcome =
  | {
      kind: 'saved'
      assistant: string
      note?: string
      /**
       * The server stored other fields for the activated version. `wanted` is that version's content, a draft as JSON
       * text.
       */
      differs?: { fields: DraftField[]; wanted: string }
    }
  /** Someone else changed it in the meantime, and nothing was sent. `now` is the current content. */
  | { kind: 'conflict'; message: string; now: string }

/** A write to an assistant, from the console's audit trail. */
export type AssistantChange = {
  seq: number
  /** When it was sent, and when its response arrived. ISO times. */
  at: string
  until: string | null
  who: string
  operation: 'createAssistant' | 'updateAssistant' | 'setLatestAssistantVersion'
}
