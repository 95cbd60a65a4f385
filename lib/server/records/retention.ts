import 'server-only'
import { consoleRecords } from '@/lib/contracts/console-records'
import type { Actor } from '../access/actor'
import { audited, authorizeRead } from '../audit/own-records'
import { readUsage, type Usage, writeRetention } from '../recorder/retention'

export async function readRetention(actor: Actor, workspace: string): Promise<Usage> {
  await authorizeRead(consoleRecords.readRetention, actor, workspace)
  return await readUsage(workspace)
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
    return await readUsage(workspace)
  })
}
