import 'server-only'
import { and, asc, eq, sql } from 'drizzle-orm'
import { isSecretKey } from '@/lib/contracts/wire/redact'
import { AppError } from '@/lib/errors'
import { isRecord, isUuid } from '@/lib/json/guards'
import { parseJson, printJson, setOwn } from '@/lib/json/lossless'
import { MAX_TEMPLATES, type RunTemplate } from '@/lib/lists/run-templates'
import { db } from '../process/db'
import { runTemplates } from '../process/schema'
import { serveRead } from '../relay/serve-read'

/** Whose templates, and of which deployment: each person has their own. */
export type TemplatesPlace = { account: string; workspace: string; deployment: string }

const within = ({ account, workspace, deployment }: TemplatesPlace) =>
  and(eq(runTemplates.account, account), eq(runTemplates.workspace, workspace), eq(runTemplates.deployment, deployment))
const one = (place: TemplatesPlace, id: string) => and(within(place), eq(runTemplates.id, id))

const { id, name, body } = runTemplates

/** By name. */
export async function listTemplates(place: TemplatesPlace): Promise<RunTemplate[]> {
  const store = await db()
  return await store
    .select({ id, name })
    .from(runTemplates)
    .where(within(place))
    .orderBy(asc(sql`lower(${name})`))
}

/** Throws AppError conflict for a name that is taken, and where there are too many. */
export async function addTemplate(place: TemplatesPlace, given: { name: string; body: string }): Promise<string> {
  const store = await db()
  if ((await store.$count(runTemplates, within(place))) >= MAX_TEMPLATES)
    throw new AppError('conflict', `There are ${MAX_TEMPLATES} templates already. Delete one first.`)
  const [added] = await store
    .insert(runTemplates)
    .values({ ...place, ...given })
    .onConflictDoNothing()
    .returning({ id })
  if (!added) throw taken(given.name)
  return added.id
}

/** Throws AppError not_found, and conflict for a name that is taken. */
export async function changeTemplate(
  place: TemplatesPlace,
  templateId: string,
  change: { name?: string; body?: string },
): Promise<void> {
  const store = await db()
  await store.transaction(async (transaction) => {
    if (change.name !== undefined) {
      const [other] = await transaction
        .select({ id })
        .from(runTemplates)
        .where(and(within(place), sql`lower(${name}) = lower(${change.name})`))
      if (other && other.id !== templateId) throw taken(change.name)
    }
    const changed = await transaction.update(runTemplates).set(change).where(one(place, templateId)).returning({ id })
    if (changed.length === 0) throw new AppError('not_found', 'There is no such template any more.')
  })
}

/** One that is gone already is fine. */
export async function removeTemplate(place: TemplatesPlace, templateId: string): Promise<void> {
  await (await db()).delete(runTemplates).where(one(place, templateId))
}

const taken = (text: string) =>
  new AppError('conflict', `There is a template named “${text}” already. Choose another name.`, {
    fields: [{ path: ['name'], message: 'This name is taken.' }],
  })

/** JSON text in which no key that names a secret has a value, and those keys. Throws AppError invalid for what is no JSON. */
export function withoutSecrets(text: string, field: string): { text: string; removed: string[] } {
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
  // As it was typed where nothing had to go.
  return { text: removed.size > 0 ? printJson(clean) : text, removed: [...removed] }
}

// As deep as `parseJson` reads, which is less than the stack is.
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

/** Answers `GET /api/templates/{workspace}/{id}`: what is in one of one's own templates. */
export const serveTemplate = (request: Request, workspace: string, templateId: string): Promise<Response> =>
  serveRead(request, async (_, { actor }) => {
    const own = and(eq(runTemplates.account, actor.id), eq(runTemplates.workspace, workspace), eq(id, templateId))
    const [found] = isUuid(templateId) ? await (await db()).select({ body }).from(runTemplates).where(own) : []
    if (!found) throw new AppError('not_found', 'There is no such template any more.')
    // As a text: what is stored may be of an older form, and the form decides what it can use.
    return found
  })
