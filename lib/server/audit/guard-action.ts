import 'server-only'
import { headers } from 'next/headers'
import type { Result } from '@/lib/errors'
import { type Actor, sessionActor } from '../access/actor'
import { assertOwnOrigin } from '../access/origin'
import { assertAllowed, sharedLimiter } from '../access/shared-limiter'
import { newRequestId, toResult } from '../process/result'

/** More than a person can click, little enough that one account cannot keep the console busy. For all instances. */
const ACTIONS = { max: 300, windowMs: 30_000 }

/** Who acts, and the id under which the log has the action. */
export type ActionContext = { actor: Actor; requestId: string }

/**
 * Wraps every action: refuses requests from other origins, without a session and beyond the limit, all before the
 * arguments are looked at. Returns failures as values.
 */
export function guardAction<T>(
  action: (context: ActionContext) => Promise<T>,
  options?: Parameters<typeof sessionActor>[0],
): Promise<Result<T>> {
  const requestId = newRequestId()
  return toResult(async () => {
    assertOwnOrigin(await headers())
    const actor = await sessionActor(options)
    const attempt = await sharedLimiter().take({ key: `actions:${actor.id}`, ...ACTIONS })
    assertAllowed(attempt, 'Too many changes in a short time. Wait half a minute and try again.')
    return await action({ actor, requestId })
  }, requestId)
}
