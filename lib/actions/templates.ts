'use server'
import { z } from 'zod'
import { MULTITASK_STRATEGIES, STREAM_MODES } from '@/lib/contracts/agents/run-options'
import type { Result } from '@/lib/errors'
import { parseJson } from '@/lib/json/lossless'
import { MAX_TEMPLATE_LENGTH, MAX_TEMPLATE_NAME, type RunTemplate } from '@/lib/lists/run-templates'
import { audited, guardAction } from '@/lib/server/audit/guard-action'
import { parseInput } from '@/lib/server/process/result'
import {
  addTemplate,
  changeTemplate,
  listTemplates,
  removeTemplate,
  type TemplatesPlace,
  withoutSecrets,
} from '@/lib/server/records/run-templates'

const Place = { workspace: z.string().min(1).max(300), deployment: z.string().min(1).max(300) }
const Name = z.string().trim().min(1, 'Give it a name.').max(MAX_TEMPLATE_NAME)
const text = z.string().max(MAX_TEMPLATE_LENGTH)

/** What the form holds, but the thread: that is of the moment. */
const Body = z.strictObject({
  assistant: z.string().max(300),
  threadKind: z.enum(['new', 'stateless']),
  inputKind: z.enum(['message', 'json']),
  message: text,
  json: text.nullable(),
  context: text,
  modes: z.array(z.enum(STREAM_MODES)).max(STREAM_MODES.length),
  subgraphs: z.boolean(),
  multitask: z.enum(MULTITASK_STRATEGIES),
})
/** As JSON text, because numbers in it are text already and nothing else is changed on its way. */
const BodyText = z
  .string()
  .max(
    MAX_TEMPLATE_LENGTH,
    `A template holds at most ${MAX_TEMPLATE_LENGTH / 1000} kB. Make the input or context smaller.`,
  )
  .transform((json, context) => {
    try {
      const parsed = Body.safeParse(parseJson(json))
      if (parsed.success) return parsed.data
    } catch {
      // No JSON: said as any other odd content.
    }
    context.addIssue('This cannot be saved as a template.')
    return z.NEVER
  })

const Add = z.strictObject({ ...Place, name: Name, body: BodyText })
const Change = z.strictObject({ ...Place, id: z.uuid(), name: Name.optional(), body: BodyText.optional() })
const Remove = z.strictObject({ ...Place, id: z.uuid() })

/** All of the person's templates of the deployment, as they are then. `removed`: keys of secrets whose values were not saved. */
export type TemplatesSaved = { id: string; templates: RunTemplate[]; removed: string[] }

/** Saves what the form holds under a name of one's own. */
export async function saveTemplate(given: z.input<typeof Add>): Promise<Result<TemplatesSaved>> {
  return guardAction(async (requestId) => {
    const { name, body: form, ...place } = parseInput(Add, given)
    const { body, removed } = stored(form)
    return write('saveTemplate', place, ['name', 'body'], requestId, async (at) => {
      const id = await addTemplate(at, { name, body })
      return { id, templates: await listTemplates(at), removed }
    })
  })
}

/** Renames a template, or gives it what the form holds now. */
export async function updateTemplate(given: z.input<typeof Change>): Promise<Result<TemplatesSaved>> {
  return guardAction(async (requestId) => {
    const { id, name, body: form, ...place } = parseInput(Change, given)
    const { body, removed } = form ? stored(form) : { body: undefined, removed: [] }
    const change = { ...(name !== undefined && { name }), ...(body !== undefined && { body }) }
    return write('updateTemplate', { ...place, id }, Object.keys(change), requestId, async (at) => {
      if (Object.keys(change).length > 0) await changeTemplate(at, id, change)
      return { id, templates: await listTemplates(at), removed }
    })
  })
}

export async function deleteTemplate(given: z.input<typeof Remove>): Promise<Result<RunTemplate[]>> {
  return guardAction(async (requestId) => {
    const { id, ...place } = parseInput(Remove, given)
    return write('deleteTemplate', { ...place, id }, [], requestId, async (at) => {
      await removeTemplate(at, id)
      return await listTemplates(at)
    })
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

type Where = { workspace: string; deployment: string; id?: string }

/** One's own templates need no more than to see the workspace: what they are used for asks for its own rights. */
function write<T>(
  operation: string,
  { workspace, deployment, id }: Where,
  fields: string[],
  requestId: string,
  effect: (place: TemplatesPlace) => Promise<T>,
): Promise<T> {
  const params = { deployment, ...(id && { template: id }) }
  return audited({ workspace, role: 'viewer', operation, params, fields, requestId }, (actor) =>
    effect({ account: actor.id, workspace, deployment }),
  )
}
