'use server'
import { z } from 'zod'
import { MULTITASK_STRATEGIES } from '@/lib/contracts/agents/run-options'
import { isSecretKey } from '@/lib/contracts/wire/redact'
import { STREAM_MODE_NAMES } from '@/lib/contracts/wire/stream-modes'
import { AppError, type Result } from '@/lib/errors'
import { isRecord } from '@/lib/json/guards'
import { parseJson, printJson, setOwn } from '@/lib/json/lossless'
import { MAX_TEMPLATE_LENGTH, MAX_TEMPLATE_NAME, type RunTemplate } from '@/lib/lists/saved'
import { guardAction } from '@/lib/server/audit/guard-action'
import { parseInput } from '@/lib/server/process/result'
import * as records from '@/lib/server/records/run-templates'

const Place = { workspace: z.string().min(1).max(300), deploymentId: z.string().min(1).max(300) }
const Name = z.string().trim().min(1, 'Enter a name.').max(MAX_TEMPLATE_NAME)
const text = z.string().max(MAX_TEMPLATE_LENGTH)

/** The contents of the form, except the thread, which differs from run to run. */
const Body = z.strictObject({
  assistant: z.string().max(300),
  threadKind: z.enum(['new', 'stateless']),
  inputKind: z.enum(['message', 'json']),
  message: text,
  json: text.nullable(),
  context: text,
  modes: z.array(z.enum(STREAM_MODE_NAMES)).max(STREAM_MODE_NAMES.length),
  subgraphs: z.boolean(),
  multitask: z.enum(MULTITASK_STRATEGIES),
})
/** JSON text. The form's fields are strings, so no number loses precision. */
const BodyText = z
  .string()
  .max(MAX_TEMPLATE_LENGTH, `A template holds at most ${MAX_TEMPLATE_LENGTH / 1000} kB. Shorten the input or context.`)
  .transform((json, context) => {
    try {
      const parsed = Body.safeParse(parseJson(json))
      if (parsed.success) return parsed.data
    } catch {
      // Invalid JSON gets the same message as invalid contents.
    }
    context.addIssue('This cannot be saved as a template.')
    return z.NEVER
  })

const Add = z.strictObject({ ...Place, name: Name, body: BodyText })
const Change = z.strictObject({ ...Place, id: z.uuid(), name: Name.optional(), body: BodyText.optional() })
const Remove = z.strictObject({ ...Place, id: z.uuid() })

/** All of the user's templates for the deployment. `removed` lists the secret keys whose values were not saved. */
export type TemplatesSaved = { id: string; templates: RunTemplate[]; removed: string[] }

/** Saves the form's contents under a name. */
export async function saveTemplate(given: z.input<typeof Add>): Promise<Result<TemplatesSaved>> {
  return guardAction(async ({ actor, requestId }) => {
    const { name, body: form, ...place } = parseInput(Add, given)
    const { body, removed } = stored(form)
    return { ...(await records.saveTemplate(actor, place, { name, body }, requestId)), removed }
  })
}

/** Renames a template, or replaces its contents with those of the form. */
export async function updateTemplate(given: z.input<typeof Change>): Promise<Result<TemplatesSaved>> {
  return guardAction(async ({ actor, requestId }) => {
    const { name, body: form, ...place } = parseInput(Change, given)
    const { body, removed } = form ? stored(form) : { body: undefined, removed: [] }
    const change = { ...(name !== undefined && { name }), ...(body !== undefined && { body }) }
    const templates = await records.updateTemplate(actor, place, change, requestId)
    return { id: place.id, templates, removed }
  })
}

export async function deleteTemplate(given: z.input<typeof Remove>): Promise<Result<RunTemplate[]>> {
  return guardAction(async ({ actor, requestId }) => {
    const input = parseInput(Remove, given)
    return await records.deleteTemplate(actor, input, requestId)
  })
}

function stored(form: z.output<typeof Body>): { body: string; removed: string[] } {
  const context = withoutSecrets(form.context, 'context')
  const json = form.json === null ? { text: null, removed: [] } : withoutSecrets(form.json, 'input')
  return {
    body: JSON.stringify({ ...form, context: context.text, json: json.text }),
    removed: [...new Set([...context.removed, ...json.removed])],
  }
}

/** Empties the values of secret keys in JSON text and lists these keys. Throws AppError invalid for invalid JSON. */
function withoutSecrets(text: string, field: string): { text: string; removed: string[] } {
  if (text.trim() === '') return { text, removed: [] }
  let value: unknown
  try {
    value = parseJson(text)
  } catch (cause) {
    const message = 'Only valid JSON can be saved.'
    throw new AppError('invalid', message, { fields: [{ path: [field], message }], cause })
  }
  const removed = new Set<string>()
  const clean = cleaned(value, removed)
  // Keep the text as typed if nothing was removed.
  return { text: removed.size > 0 ? printJson(clean) : text, removed: [...removed] }
}

// Recursion is safe: `parseJson` limits the depth.
function cleaned(value: unknown, removed: Set<string>): unknown {
  if (Array.isArray(value)) return value.map((item) => cleaned(item, removed))
  if (!isRecord(value)) return value
  const copy = {}
  for (const [key, item] of Object.entries(value)) {
    const isSecret = isSecretKey(key) && item !== '' && item !== null
    if (isSecret) removed.add(key)
    setOwn(copy, key, isSecret ? '' : cleaned(item, removed))
  }
  return copy
}
