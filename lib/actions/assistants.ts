'use server'
import { z } from 'zod'
import type { AssistantDraft, AssistantOutcome } from '@/lib/contracts/agents/assistant-edit'
import { AppError, type Result } from '@/lib/errors'
import { isRecord } from '@/lib/json/guards'
import { guardAction } from '@/lib/server/audit/guard-action'
import { parseJsonInput } from '@/lib/server/process/json-input'
import { parseInput } from '@/lib/server/process/result'
import * as write from '@/lib/server/resources/assistants'

const name = z.string().min(1).max(300)
/** The idempotency key, created once per submitted form: a repeat gets the first result. */
const key = z.string().min(8).max(100)
const Place = z.strictObject({ workspace: name, deploymentId: name, assistant: name })
/** JSON text, so that numbers in a context stay exactly as typed. */
const text = z.string().max(4_000_000)
const version = z.int().min(1)

const Save = z.strictObject({ place: Place, key, base: text, draft: text })

/** Saves and activates an assistant's next version. A concurrent edit is an outcome that holds the current assistant. */
export async function saveAssistant(given: z.input<typeof Save>): Promise<Result<AssistantOutcome>> {
  return guardAction(async ({ actor }) => {
    const { base, draft, ...rest } = parseInput(Save, given)
    return await write.saveAssistant({ ...rest, base: readDraft(base), draft: readDraft(draft) }, actor)
  })
}

const Create = z.strictObject({ workspace: name, deploymentId: name, key, graph: name, draft: text })

/** Creates an assistant. A repeat with the same key creates no second one. */
export async function createAssistant(given: z.input<typeof Create>): Promise<Result<AssistantOutcome>> {
  return guardAction(async ({ actor }) => {
    const { draft, ...rest } = parseInput(Create, given)
    return await write.createAssistant({ ...rest, draft: readDraft(draft) }, actor)
  })
}

const Activate = z.strictObject({ place: Place, key, version, expectedVersion: version })

/** Activates another version. Later runs by the assistant's id use it. */
export async function activateVersion(given: z.input<typeof Activate>): Promise<Result<AssistantOutcome>> {
  return guardAction(async ({ actor }) => await write.activateVersion(parseInput(Activate, given), actor))
}

const Delete = z.strictObject({ place: Place, key, deletesThreads: z.boolean() })

export async function deleteAssistant(given: z.input<typeof Delete>): Promise<Result<{ note?: string }>> {
  return guardAction(async ({ actor }) => {
    const { place, ...options } = parseInput(Delete, given)
    return await write.deleteAssistant(place, options, actor)
  })
}

function readDraft(json: string): AssistantDraft {
  const value = parseJsonInput(json, 'The draft is not valid JSON.')
  const { name, description, context, config, metadata } = isRecord(value) ? value : {}
  const isDraft = typeof name === 'string' && typeof description === 'string'
  if (!isDraft || !isRecord(context) || !isRecord(config) || !isRecord(metadata))
    throw new AppError('invalid', 'Context, configuration and metadata are JSON objects.')
  return { name, description, context, config, metadata }
}
