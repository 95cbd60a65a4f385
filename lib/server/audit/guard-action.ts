import 'server-only'
import { headers } from 'next/headers'
import { isAtLeast, type Role } from '@/lib/contracts/wire/api'
import { AppError, HTTP_STATUS, type Result } from '@/lib/errors'
import { type Actor, roleOf, sessionActor } from '../access/actor'
import { assertOwnOrigin } from '../access/origin'
import { log } from '../process/log'
import { newRequestId, toResult } from '../process/result'
import { type Intent, recordDenial, recordIntent, recordOutcome } from './trail'

/** Every action's outer shell: refuses requests that no page of ours sent, and gives failures back as values. */
export function guardAction<T>(action: (requestId: string) => Promise<T>): Promise<Result<T>> {
  const requestId = newRequestId()
  return toResult(async () => {
    assertOwnOrigin(await headers())
    return await action(requestId)
  }, requestId)
}

export type ConsoleWrite = {
  /** Named in the audit. */
  workspace: string
  /** Where the role is asked for; the workspace when absent. */
  scope?: string
  /** Null: any signed-in person, for one's own account. */
  role: Role | null
  operation: string
  params?: Record<string, string>
  fields?: string[]
  requestId: string
}

/**
 * A write to the console's own records, in the order of every write: who, role, intent, effect, outcome.
 * Nothing happens when the intent cannot be recorded. Input is parsed before, so that `params` and `fields` are known.
 */
export async function audited<T>(write: ConsoleWrite, effect: (actor: Actor) => Promise<T>): Promise<T> {
  const actor = await sessionActor()
  const role = await roleOf(actor, write.scope ?? write.workspace)
  const entry = { ...write, params: write.params ?? {}, fields: write.fields ?? [], actor, role }
  if (write.role && !(role && isAtLeast(role, write.role))) {
    await recordDenial({ ...entry, outcome: `needs ${write.role}` })
    throw new AppError(
      'forbidden',
      `This needs the role ${write.role}${write.scope === '*' ? ' of the whole console' : ''}. Ask an administrator.`,
    )
  }
  const intent = await recordIntent(entry)
  try {
    const result = await effect(actor)
    await noteOutcome(intent, 200, 'done')
    return result
  } catch (error) {
    const code = error instanceof AppError ? error.code : 'internal'
    await noteOutcome(intent, HTTP_STATUS[code], code)
    throw error
  }
}

/** The effect stands by now: an outcome that cannot be recorded is told to the log, not to the person. */
async function noteOutcome(intent: Intent, status: number, outcome: string): Promise<void> {
  await recordOutcome({ intent, status, outcome }).catch((error: unknown) =>
    log.error('audit.outcome_lost', { intent: intent.seq, status, outcome, error }),
  )
}
