import 'server-only'
import { consoleRecords } from '@/lib/contracts/console-records'
import { isAtLeast } from '@/lib/contracts/wire/api'
import { AppError } from '@/lib/errors'
import { type Actor, EVERYWHERE, rightsOf } from '../access/actor'
import { audited, authorizeRead } from '../audit/own-records'
import {
  type AuditUsage,
  changeAuditRetention,
  lastExported,
  oldestRow,
  readAuditRetention,
  readAuditUsage,
  unexportedLines,
} from '../audit/retention'

/** How long the trail of all workspaces is kept, and what it takes. */
export type AuditKept = AuditUsage & {
  days: number | null
  exportedThrough: number
  exportedAt: string | null
  oldestAt: string | null
  /** When the oldest entry is removed; null if it stays because of the limit or because nobody holds it. */
  dueAt: string | null
  mayChange: boolean
}

async function keptFor(actor: Actor): Promise<AuditKept> {
  const { days, exportedThrough, exportedAt } = await readAuditRetention()
  const oldest = await oldestRow()
  const { role } = await rightsOf(actor, EVERYWHERE)
  return {
    ...(await readAuditUsage()),
    ...{ days, exportedThrough, exportedAt: exportedAt?.toISOString() ?? null },
    oldestAt: oldest?.at.toISOString() ?? null,
    dueAt: oldest?.dueAt != null ? new Date(oldest.dueAt).toISOString() : null,
    mayChange: role !== null && isAtLeast(role, 'admin'),
  }
}

/** For administrators of the workspace, although the trail is that of all. */
export async function readAuditKept(actor: Actor, workspace: string): Promise<AuditKept> {
  await authorizeRead(consoleRecords.readRetention, actor, workspace)
  return await keptFor(actor)
}

/** Null keeps the trail for good. Entries are removed within two days after both age and an export allow it. */
export async function saveAuditRetention(actor: Actor, days: number | null, requestId: string): Promise<AuditKept> {
  const params = { days: days === null ? 'none' : String(days) }
  const write = { actor, workspace: EVERYWHERE, params, fields: Object.keys(params), requestId }
  return await audited(consoleRecords.saveAuditRetention, write, async () => {
    await changeAuditRetention({ days })
    return await keptFor(actor)
  })
}

/** All entries that nobody has confirmed to hold yet, as JSON lines that `npm run audit:verify` reads. */
export async function* auditTrailFile(actor: Actor): AsyncGenerator<string, void> {
  await authorizeRead(consoleRecords.exportAudit, actor, EVERYWHERE)
  yield* unexportedLines()
}

/** Notes that an administrator holds the export with this SHA-256: its entries may be removed when they are old enough. */
export async function confirmAuditExport(actor: Actor, sha256: string, requestId: string): Promise<AuditKept> {
  const write = { actor, workspace: EVERYWHERE, params: { sha256 }, requestId }
  return await audited(consoleRecords.confirmAuditExport, write, async () => {
    const exportedThrough = await lastExported(sha256)
    if (exportedThrough === undefined)
      throw new AppError('invalid', 'No export has this checksum.', {
        fields: [
          {
            path: ['sha256'],
            message: 'No export of the entries has this checksum. Check the file, or download it again.',
          },
        ],
      })
    await changeAuditRetention({ exportedThrough, exportedAt: new Date() })
    return await keptFor(actor)
  })
}
