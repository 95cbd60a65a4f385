'use server'
import { z } from 'zod'
import { consoleRecords } from '@/lib/contracts/console-records'
import type { Result } from '@/lib/errors'
import { changeOwnPassword, NewPassword } from '@/lib/server/access/accounts'
import { EVERYWHERE } from '@/lib/server/access/actor'
import { setSessionCookie } from '@/lib/server/access/session'
import { guardAction } from '@/lib/server/audit/guard-action'
import { audited } from '@/lib/server/audit/own-records'
import { env } from '@/lib/server/process/env'
import { parseInput } from '@/lib/server/process/result'
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
