import 'server-only'
import {
  type AuditKept,
  type AuditLimits,
  type AuditPart,
  type AuditUsage,
  dueAt,
  limitsFor,
} from '@/lib/contracts/audit/limits'
import { consoleRecords } from '@/lib/contracts/console-records'
import { isAtLeast } from '@/lib/contracts/wire/api'
import { AppError } from '@/lib/errors'
import { type Actor, EVERYWHERE, rightsOf } from '../access/actor'
import { audited, authorizeRead } from '../audit/own-records'
import {
  changeAuditRetention,
  lastExported,
  readAuditRetention,
  readAuditUsage,
  readTrailSize,
  unexportedLines,
  withLimits,
} from '../audit/retention'

const NONE: AuditUsage = { rows: 0, bytes: 0, recentBytes: 0, recentDays: 0, oldest: null }

async function keptFor(actor: Actor, workspace: string): Promise<AuditKept> {
  const setting = await readAuditRetention()
  const usage = await readAuditUsage()
  const partOf = (of: string): AuditPart => {
    const [used, limits] = [usage.get(of) ?? NONE, limitsFor(of, setting)]
    const due = dueAt(used, limits, setting.exportedThrough)
    return { ...used, ...limits, dueAt: due && Math.max(due, Date.now()) }
  }
  const { role } = await rightsOf(actor, EVERYWHERE)
  return {
    own: setting.own[workspace] ?? { days: null, maxBytes: null },
    workspace: partOf(workspace),
    rest: partOf(EVERYWHERE),
    trail: await readTrailSize(),
    exportedThrough: setting.exportedThrough,
    exportedAt: setting.exportedAt?.toISOString() ?? null,
    mayChange: role !== null && isAtLeast(role, 'admin'),
  }
}

/** For administrators of the workspace, although some of it is about the trail of all. */
export async function readAuditKept(actor: Actor, workspace: string): Promise<AuditKept> {
  await authorizeRead(consoleRecords.readRetention, actor, workspace)
  return await keptFor(actor, workspace)
}

const named = ({ days, maxBytes }: AuditLimits) => ({
  days: days === null ? 'none' : String(days),
  maxBytes: maxBytes === null ? 'none' : String(maxBytes),
})

/**
 * The limits for workspaces without their own, and for entries about none; null keeps all. Entries are removed within two
 * days after both a limit and an export allow it.
 */
export async function saveAuditRetention(
  actor: Actor,
  { workspace, ...limits }: AuditLimits & { workspace: string },
  requestId: string,
): Promise<AuditKept> {
  const params = named(limits)
  const write = { actor, workspace: EVERYWHERE, params, fields: Object.keys(params), requestId }
  return await audited(consoleRecords.saveAuditRetention, write, async () => {
    await changeAuditRetention(() => limits)
    return await keptFor(actor, workspace)
  })
}

/** The limits of one workspace; null takes that of the console. */
export async function saveAuditLimits(
  actor: Actor,
  { workspace, ...limits }: AuditLimits & { workspace: string },
  requestId: string,
): Promise<AuditKept> {
  const params = named(limits)
  const write = { actor, workspace, params, fields: Object.keys(params), requestId }
  return await audited(consoleRecords.saveAuditLimits, write, async () => {
    await changeAuditRetention((before) => withLimits(before, workspace, limits))
    return await keptFor(actor, workspace)
  })
}

/** All entries that nobody has confirmed to hold yet, as JSON lines that `npm run audit:verify` reads. */
export async function* auditTrailFile(actor: Actor): AsyncGenerator<string, void> {
  await authorizeRead(consoleRecords.exportAudit, actor, EVERYWHERE)
  yield* unexportedLines()
}

/** Notes that an administrator holds the export with this SHA-256: its entries may be removed beyond the limits. */
export async function confirmAuditExport(
  actor: Actor,
  { workspace, sha256 }: { workspace: string; sha256: string },
  requestId: string,
): Promise<AuditKept> {
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
    await changeAuditRetention(() => ({ exportedThrough, exportedAt: new Date() }))
    return await keptFor(actor, workspace)
  })
}
