import 'server-only'
import { randomUUID } from 'node:crypto'
import { and, count, desc, eq, gt, inArray, isNull, sql } from 'drizzle-orm'
import { consoleRecords } from '@/lib/contracts/console-records'
import type { LinkDays, PublicLinks } from '@/lib/contracts/public-link'
import { AppError } from '@/lib/errors'
import type { RecordingSummary } from '@/lib/stream/log'
import { endLine, entryLine, headerLine } from '@/lib/stream/recording-file'
import { type Actor, systemActor } from '../access/actor'
import { workspace as findWorkspace } from '../access/workspaces'
import { audited, authorizeWithin } from '../audit/own-records'
import { isSecretOf, newToken, readToken } from '../identity/secret-token'
import { db } from '../process/db'
import { publicLinks, recordings, sharing } from '../recorder/schema'
import { findRecording } from '../recorder/store'
import { publicEntry, publicSummary } from '../relay/public-copy'
import { exportRecording, readRecording } from './recordings'

// docs/decisions/0064-public-links.md

const PREFIX = 'phl'
const MOST_USABLE = 500

const isUsable = and(isNull(publicLinks.revokedAt), gt(publicLinks.expiresAt, sql`now()`))

/** The usable public links of a workspace, or of one recording. */
export async function listPublicLinks(actor: Actor, workspace: string, recording?: string): Promise<PublicLinks> {
  const limit = await authorizeWithin(consoleRecords.readPublicLinks, actor, workspace)
  const store = await db()
  const ofRecording = recording === undefined ? undefined : eq(publicLinks.recording, recording)
  const [isAllowed, rows] = await Promise.all([
    hasPublicLinks(workspace),
    store
      .select({ link: publicLinks, deployment: recordings.deployment })
      .from(publicLinks)
      .innerJoin(recordings, eq(recordings.id, publicLinks.recording))
      .where(
        and(
          eq(publicLinks.workspace, workspace),
          ofRecording,
          isUsable,
          limit ? inArray(recordings.deployment, limit) : undefined,
        ),
      )
      .orderBy(desc(publicLinks.createdAt))
      .limit(MOST_USABLE),
  ])
  const links = rows.map(({ link, deployment }) => ({
    ...{ id: link.id, recording: link.recording, deployment, createdBy: link.createdBy, opens: link.opens },
    createdAt: link.createdAt.toISOString(),
    expiresAt: link.expiresAt.toISOString(),
    lastOpenedAt: link.lastOpenedAt?.toISOString() ?? null,
  }))
  return { isAllowed, links }
}

/** Lets the workspace have public links, or stops all of them from opening. */
export async function allowPublicLinks(
  actor: Actor,
  { workspace, isAllowed }: { workspace: string; isAllowed: boolean },
  requestId: string,
): Promise<void> {
  const write = { actor, workspace, params: { allowed: isAllowed ? 'on' : 'off' }, requestId }
  await audited(consoleRecords.allowPublicLinks, write, async () => {
    await findWorkspace(workspace) // not_found
    await (await db())
      .insert(sharing)
      .values({ workspace, hasPublicLinks: isAllowed })
      .onConflictDoUpdate({ target: sharing.workspace, set: { hasPublicLinks: isAllowed } })
  })
}

/** Creates a link to a recording that has ended. Its token is returned once. */
export async function createPublicLink(
  actor: Actor,
  { workspace, recording, days }: { workspace: string; recording: string; days: LinkDays },
  requestId: string,
): Promise<{ id: string; token: string }> {
  const id = randomUUID()
  const about = await deploymentOf(workspace, recording)
  const write = { actor, workspace, about, params: { recording, link: id }, fields: ['days'], requestId }
  return await audited(consoleRecords.createPublicLink, write, async () => {
    await findWorkspace(workspace) // not_found
    if (!(await hasPublicLinks(workspace)))
      throw new AppError('forbidden', 'Public links are off in this workspace. An administrator can turn them on.')
    const { phase } = await readRecording(actor, { workspace, recording }) // not_found
    if (phase !== 'ended') throw new AppError('conflict', 'Wait until the run has ended, then create the link.')
    const store = await db()
    const [found] = await store
      .select({ n: count() })
      .from(publicLinks)
      .where(and(eq(publicLinks.workspace, workspace), isUsable))
    if ((found?.n ?? 0) >= MOST_USABLE)
      throw new AppError('conflict', `This workspace has ${MOST_USABLE} public links. Revoke one first.`)
    const { token, hash } = newToken(PREFIX, id)
    const expiresAt = sql`now() + make_interval(days => ${days})`
    await store.insert(publicLinks).values({ id, workspace, recording, hash, createdBy: actor.email, expiresAt })
    return { id, token }
  })
}

/** The deployment of a recording; undefined if there is none. */
async function deploymentOf(workspace: string, recording: string): Promise<string | undefined> {
  const row = await findRecording(recording)
  return row?.workspace === workspace ? row.deployment : undefined
}

/** Revokes a link at once, also for those who are reading it. */
export async function revokePublicLink(
  actor: Actor,
  { workspace, id }: { workspace: string; id: string },
  requestId: string,
): Promise<void> {
  const store = await db()
  const [found] = await store
    .select()
    .from(publicLinks)
    .where(and(eq(publicLinks.id, id), eq(publicLinks.workspace, workspace)))
  const about = found && (await deploymentOf(workspace, found.recording))
  const write = { actor, workspace, about, params: { link: id }, requestId }
  await audited(consoleRecords.revokePublicLink, write, async () => {
    const revoked = await store
      .update(publicLinks)
      .set({ revokedAt: sql`coalesce(${publicLinks.revokedAt}, now())` })
      .where(and(eq(publicLinks.id, id), eq(publicLinks.workspace, workspace)))
      .returning({ id: publicLinks.id })
    if (revoked.length === 0) throw new AppError('not_found', 'This workspace has no such link.')
  })
}

/**
 * The recording of the link whose token an `Authorization` header has, as a file. It names no place and no person, and
 * credentials are removed from all of it. Throws AppError not_found, in the same words for all reasons.
 */
export async function openPublicLink(
  authorization: string | null,
): Promise<{ name: string; type: string; parts: AsyncGenerator<string, void> }> {
  const given = readToken(PREFIX, /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1] ?? '')
  const link = given && (await usableLink(given.id))
  if (!link || !isSecretOf(link.hash, given.secret)) throw closed()
  const place = { workspace: link.workspace, recording: link.recording }
  const summary = await readRecording(reader, place)
  if (summary.phase !== 'ended') throw closed()
  await (await db())
    .update(publicLinks)
    .set({ opens: sql`${publicLinks.opens} + 1`, lastOpenedAt: sql`now()` })
    .where(eq(publicLinks.id, link.id))
  return { name: 'run.jsonl', type: 'application/jsonl', parts: publicLines(link, summary) }
}

const reader = systemActor('public-link')
const closed = () => new AppError('not_found', 'This link does not exist, has expired or was revoked.')

async function* publicLines(link: Link, summary: RecordingSummary): AsyncGenerator<string, void> {
  yield headerLine(publicSummary(summary), new Date().toISOString())
  let total = 0
  for await (const entries of exportRecording(reader, link)) {
    // A page may have waited long for a slow reader.
    if (!(await usableLink(link.id))) throw closed()
    total += entries.length
    yield entries.map((entry) => entryLine(publicEntry(entry))).join('')
  }
  yield endLine(total)
}

type Link = { id: string; workspace: string; recording: string; hash: string }

async function usableLink(id: string): Promise<Link | undefined> {
  const store = await db()
  const [found] = await store
    .select({
      ...{ id: publicLinks.id, workspace: publicLinks.workspace, recording: publicLinks.recording },
      hash: publicLinks.hash,
    })
    .from(publicLinks)
    .innerJoin(sharing, and(eq(sharing.workspace, publicLinks.workspace), eq(sharing.hasPublicLinks, true)))
    .where(and(eq(publicLinks.id, id), isUsable))
  if (!found) return undefined
  const isThere = await findWorkspace(found.workspace).then(
    () => true,
    (error: unknown) => {
      if (error instanceof AppError && error.code === 'not_found') return false
      throw error
    },
  )
  return isThere ? found : undefined
}

async function hasPublicLinks(workspace: string): Promise<boolean> {
  const [found] = await (await db()).select().from(sharing).where(eq(sharing.workspace, workspace))
  return found?.hasPublicLinks ?? false
}
