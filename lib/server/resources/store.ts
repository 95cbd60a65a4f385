import 'server-only'
import { agentServer } from '@/lib/contracts/agent-server'
import type { Item } from '@/lib/contracts/agents/store'
import type { JsonObject } from '@/lib/contracts/wire/fields'
import { holdsRedacted } from '@/lib/contracts/wire/redact'
import { AppError } from '@/lib/errors'
import type { Actor } from '../access/actor'
import { withEditLock } from '../edits/lock'
import { call } from '../upstream/call'
import { authorize } from '../upstream/call-context'

export type ItemPlace = { workspace: string; deployment: string; namespace: string[]; key: string }

type Put = {
  value: JsonObject
  /** Minutes to live from now; it stays when absent, whatever it had before. */
  ttl?: number
  /** The item's `updated_at` as the person saw it; null where it is to be made. */
  seen: string | null
}

/** Makes an item, or puts a whole new value in its place. What somebody else made or changed meanwhile is a conflict. */
export async function putItem(place: ItemPlace, { value, ttl, seen }: Put, actor: Actor): Promise<void> {
  const { workspace, deployment, namespace, key } = place
  const input = { workspace, deployment, body: { namespace, key, value, ...(ttl !== undefined && { ttl }) } }
  await authorize(agentServer.putItem, input, actor)
  if (holdsRedacted(value))
    throw new AppError('invalid', 'It holds [redacted] where a credential was; saving would write that over it.')
  await withEditLock({ workspace, deployment: `${deployment} item ${namespace.join('.')} ${key}` }, async () => {
    const now = await readItem(place, actor)
    if (seen === null && now)
      throw new AppError('conflict', 'This namespace has an item with that key. Open it to edit it.')
    if (seen !== null && !now)
      throw new AppError('conflict', 'The item was deleted in the meantime. Nothing was saved.')
    if (seen !== null && now?.updated_at && now.updated_at !== seen)
      throw new AppError('conflict', 'Somebody has changed this item in the meantime. Nothing was saved.')
    await call(agentServer.putItem, input, { actor })
  })
}

export async function deleteItem({ workspace, deployment, namespace, key }: ItemPlace, actor: Actor): Promise<void> {
  await call(agentServer.deleteItem, { workspace, deployment, body: { namespace, key } }, { actor })
}

/** Looking at an item does not lengthen its life. */
async function readItem(place: ItemPlace, actor: Actor): Promise<Item | undefined> {
  const { workspace, deployment, namespace, key } = place
  const query = { namespace: namespace.join('.'), key, refresh_ttl: false }
  try {
    return (await call(agentServer.getItem, { workspace, deployment, query }, { actor })) ?? undefined
  } catch (error) {
    if (error instanceof AppError && error.view.upstreamStatus === 404) return undefined
    throw error
  }
}
