import 'server-only'
import { and, asc, eq, sql } from 'drizzle-orm'
import { consoleRecords } from '@/lib/contracts/console-records'
import type { DeploymentPlace } from '@/lib/contracts/wire/places'
import { AppError } from '@/lib/errors'
import { isUuid } from '@/lib/json/guards'
import { MAX_TEMPLATES, type RunTemplate } from '@/lib/lists/saved'
import type { Actor } from '../access/actor'
import { audited, authorizeRead, authorizeWithin } from '../audit/own-records'
import { db } from '../process/db'
import { runTemplates } from '../process/schema'

const ownedBy = (actor: Actor, { workspace, deploymentId }: DeploymentPlace) =>
  and(
    eq(runTemplates.account, actor.id),
    eq(runTemplates.workspace, workspace),
    eq(runTemplates.deployment, deploymentId),
  )
const isTemplate = (actor: Actor, place: DeploymentPlace, id: string) =>
  and(ownedBy(actor, place), eq(runTemplates.id, id))

const { id, name, body } = runTemplates

/** The actor's own templates for the deployment, by name. */
export async function listTemplates(actor: Actor, place: DeploymentPlace): Promise<RunTemplate[]> {
  await authorizeRead(consoleRecords.readTemplates, actor, place.workspace, place.deploymentId)
  return await selectTemplates(actor, place)
}

async function selectTemplates(actor: Actor, place: DeploymentPlace): Promise<RunTemplate[]> {
  const store = await db()
  return await store
    .select({ id, name })
    .from(runTemplates)
    .where(ownedBy(actor, place))
    .orderBy(asc(sql`lower(${name})`))
}

/** The body of one of the actor's templates, as text because it may have an older form. Throws AppError not_found. */
export async function readTemplate(
  actor: Actor,
  { workspace, id: templateId }: { workspace: string; id: string },
): Promise<{ body: string }> {
  const limit = await authorizeWithin(consoleRecords.readTemplates, actor, workspace)
  const own = and(eq(runTemplates.account, actor.id), eq(runTemplates.workspace, workspace), eq(id, templateId))
  const columns = { body, deployment: runTemplates.deployment }
  const [found] = isUuid(templateId) ? await (await db()).select(columns).from(runTemplates).where(own) : []
  if (!found || (limit && !limit.includes(found.deployment))) throw noTemplate()
  return { body: found.body }
}

// Each write returns all of the actor's templates for the deployment.

/** Throws AppError conflict if the name is taken or there are too many. */
export async function saveTemplate(
  actor: Actor,
  { workspace, deploymentId }: DeploymentPlace,
  template: { name: string; body: string },
  requestId: string,
): Promise<{ id: string; templates: RunTemplate[] }> {
  const place = { workspace, deploymentId }
  const write = {
    actor,
    workspace,
    about: deploymentId,
    params: { deployment: deploymentId },
    fields: ['name', 'body'],
    requestId,
  }
  return await audited(consoleRecords.saveTemplate, write, async () => {
    const store = await db()
    if ((await store.$count(runTemplates, ownedBy(actor, place))) >= MAX_TEMPLATES)
      throw new AppError('conflict', `You already have ${MAX_TEMPLATES} templates. Delete one first.`)
    const [added] = await store
      .insert(runTemplates)
      .values({ account: actor.id, workspace, deployment: deploymentId, ...template })
      .onConflictDoNothing()
      .returning({ id })
    if (!added) throw taken(template.name)
    return { id: added.id, templates: await selectTemplates(actor, place) }
  })
}

/** Throws AppError not_found, or conflict if the name is taken. */
export async function updateTemplate(
  actor: Actor,
  { workspace, deploymentId, id: templateId }: DeploymentPlace & { id: string },
  change: { name?: string; body?: string },
  requestId: string,
): Promise<RunTemplate[]> {
  const place = { workspace, deploymentId }
  const fields = Object.keys(change)
  const write = {
    actor,
    workspace,
    about: deploymentId,
    params: { deployment: deploymentId, template: templateId },
    fields,
    requestId,
  }
  return await audited(consoleRecords.updateTemplate, write, async () => {
    if (fields.length > 0) await changeTemplate(actor, place, templateId, change)
    return await selectTemplates(actor, place)
  })
}

async function changeTemplate(
  actor: Actor,
  place: DeploymentPlace,
  templateId: string,
  change: { name?: string; body?: string },
): Promise<void> {
  const store = await db()
  await store.transaction(async (transaction) => {
    if (change.name !== undefined) {
      const [other] = await transaction
        .select({ id })
        .from(runTemplates)
        .where(and(ownedBy(actor, place), sql`lower(${name}) = lower(${change.name})`))
      if (other && other.id !== templateId) throw taken(change.name)
    }
    const changed = await transaction
      .update(runTemplates)
      .set(change)
      .where(isTemplate(actor, place, templateId))
      .returning({ id })
    if (changed.length === 0) throw noTemplate()
  })
}

/** Succeeds even if the template is already gone. */
export async function deleteTemplate(
  actor: Actor,
  { workspace, deploymentId, id: templateId }: DeploymentPlace & { id: string },
  requestId: string,
): Promise<RunTemplate[]> {
  const place = { workspace, deploymentId }
  const write = {
    actor,
    workspace,
    about: deploymentId,
    params: { deployment: deploymentId, template: templateId },
    requestId,
  }
  return await audited(consoleRecords.deleteTemplate, write, async () => {
    await (await db()).delete(runTemplates).where(isTemplate(actor, place, templateId))
    return await selectTemplates(actor, place)
  })
}

const noTemplate = () => new AppError('not_found', 'This template no longer exists.')
const taken = (text: string) =>
  new AppError('conflict', `A template named “${text}” already exists. Choose another name.`, {
    fields: [{ path: ['name'], message: 'This name is taken.' }],
  })
