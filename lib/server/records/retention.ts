import 'server-only'
import { eq, sql } from 'drizzle-orm'
import { consoleRecords } from '@/lib/contracts/console-records'
import type { Actor } from '../access/actor'
import { audited, authorizeRead } from '../audit/own-records'
import { db } from '../process/db'
import { audit } from '../process/schema'
import { type Usage as RecordingUsage, readUsage, writeRetention } from '../recorder/retention'

/** With the entries of the audit trail about the workspace. */
type Usage = RecordingUsage & { auditRows: number }

async function usageOf(workspace: string): Promise<Usage> {
  const store = await db()
  const [trail] = await store
    .select({ auditRows: sql<number>`count(*)::float8` })
    .from(audit)
    .where(eq(audit.workspace, workspace))
  if (!trail) throw new Error('An aggregate returned no row.')
  return { ...(await readUsage(workspace)), ...trail }
}

export async function readRetention(actor: Actor, workspace: string): Promise<Usage> {
  await authorizeRead(consoleRecords.readRetention, actor, workspace)
  return await usageOf(workspace)
}

/** Applies within the hour, when old recordings are deleted next. */
export async function saveRetention(
  actor: Actor,
  { workspace, days, maxBytes }: { workspace: string; days: number; maxBytes: number | null },
  requestId: string,
): Promise<Usage> {
  const params = { days: String(days), maxBytes: maxBytes === null ? 'none' : String(maxBytes) }
  const write = { actor, workspace, params, fields: Object.keys(params), requestId }
  return await audited(consoleRecords.saveRetention, write, async () => {
    await writeRetention({ workspace, days, maxBytes })
    return await usageOf(workspace)
  })
}
