'use server'
import { z } from 'zod'
import { consoleRecords } from '@/lib/contracts/console-records'
import type { Result } from '@/lib/errors'
import { changeOwnPassword, NewPassword } from '@/lib/server/access/accounts'
import { EVERYWHERE } from '@/lib/server/access/actor'
import { currentSession, setSessionCookie } from '@/lib/server/access/session'
import { guardAction } from '@/lib/server/audit/guard-action'
import { audited } from '@/lib/server/audit/own-records'
import { env } from '@/lib/server/process/env'
import { parseInput } from '@/lib/server/process/result'
import { signOutEverywhere } from '@/lib/server/records/members'
import * as sessions from '@/lib/server/records/sessions'
import { forgetFirstSignIn } from '@/lib/server/start/first-run'

const PasswordChange = z
  .strictObject({ current: z.string().max(1000), next: NewPassword })
  .refine(({ current, next }) => current !== next, {
    path: ['next'],
    error: 'Choose another password than the current one.',
  })

/** Changes the user's own password and ends all other sessions. This browser stays signed in. */
export async function changePassword(given: { current: string; next: string }): Promise<Result<null>> {
  return guardAction(
    async ({ actor, requestId }) => {
      const { current, next } = parseInput(PasswordChange, given)
      const write = { actor, workspace: EVERYWHERE, fields: ['password'], requestId }
      return await audited(consoleRecords.changePassword, write, async () => {
        const account = await changeOwnPassword(actor.id, current, next)
        if (account.email === env().PILOTHOUSE_ADMIN_EMAIL) forgetFirstSignIn()
        await setSessionCookie(account)
        return null
      })
    },
    { mayHaveInitialPassword: true },
  )
}

const OneSession = z.strictObject({ account: z.uuid(), session: z.string().min(1).max(100) })

/** Ends one session: the user's own, or for administrators of the console anybody's. */
export async function endSession(given: { account: string; session: string }): Promise<Result<null>> {
  return guardAction(async ({ actor, requestId }) => {
    await sessions.endSession(actor, parseInput(OneSession, given), requestId)
    return null
  })
}

/** Ends all sessions of the user but this one, which continues under a new id. */
export async function endOtherSessions(): Promise<Result<null>> {
  return guardAction(async ({ actor, requestId }) => {
    const name = (await currentSession())?.account.name ?? ''
    const sessionVersion = await signOutEverywhere(actor, actor.id, requestId)
    await setSessionCookie({ id: actor.id, email: actor.email, name, sessionVersion })
    return null
  })
}
