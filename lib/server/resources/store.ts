import 'server-only'
import { agentServer } from '@/lib/contracts/agent-server'
import type { Item } from '@/lib/contracts/agents/store'
import type { JsonObject } from '@/lib/contracts/wire/fields'
import type { ItemPlace } from '@/lib/contracts/wire/places'
import { holdsRedacted } from '@/lib/contracts/wire/redact'
import { AppError } from '@/lib/errors'
import { isSameJson } from '@/lib/json/difference'
import type { Actor } from '../access/actor'
import { type Idempotency, safeWrite } from '../edits/safe-write'
import { call } from '../upstream/call'

type Put = {
  value: JsonObject
  /** Minutes to live from now. Without it the item never expires, whatever it had before. */
  ttl?: number
  /** The item's `updated_at` as the user saw it; null for a new item. */
  expectedUpdatedAt: string | null
  idempotency?: Idempotency
}

/** Creates an item or replaces its whole value. Throws AppError conflict if somebody else created or changed it. */
export async function putItem(
  place: ItemPlace,
  { value, ttl, expectedUpdatedAt, idempotency }: Put,
  actor: Actor,
): Promise<null> {
  const { workspace, deploymentId, namespace, key } = place
  const input = { workspace, deploymentId, body: { namespace, key, value, ...(ttl !== undefined && { ttl }) } }
  return await safeWrite<Item | undefined, null>({
    operation: agentServer.putItem,
    place: input,
    actor,
    idempotency,
    lock: ['item', workspace, deploymentId, ...namespace, key],
    assertValid: () => {
      if (holdsRedacted(value))
        throw new AppError('invalid', 'It contains [redacted] in place of a credential, and saving would overwrite it.')
    },
    read: () => readItem(place, actor),
    check: (now) => {
      if (expectedUpdatedAt === null && now)
        throw new AppError('conflict', 'This namespace has an item with that key. Open it to edit it.')
      if (expectedUpdatedAt !== null && !now)
        throw new AppError('conflict', 'The item was deleted in the meantime. Nothing was saved.')
      if (expectedUpdatedAt !== null && now?.updated_at && now.updated_at !== expectedUpdatedAt)
        throw new AppError('conflict', 'Someone has changed this item in the meantime. Nothing was saved.')
      return undefined
    },
    send: async () => {
      await call(agentServer.putItem, input, { actor })
      return null
    },
    isSame: (now, before) => now !== undefined && now.updated_at !== before?.updated_at && isSameJson(now.value, value),
    resultOf: () => null,
  })
}

export async function deleteItem({ workspace, deploymentId, namespace, key }: ItemPlace, actor: Actor): Promise<void> {
  await call(agentServer.deleteItem, { workspace, deploymentId, body: { namespace, key } }, { actor })
}

/** Reads an item without refreshing its TTL. Undefined if there is none. */
async function readItem(place: ItemPlace, actor: Actor): Promise<Item | undefined> {
  const { workspace, deploymentId, namespace, key } = place
  const query = { namespace: namespace.join('.'), key, refresh_ttl: false }
  try {
    return (await call(agentServer.getItem, { workspace, deploymentId, query }, { actor })) ?? undefined
  } catch (error) {
    if (error instanceof AppError && error.view.upstreamStatus === 404) return undefined
    throw error
  }
}
