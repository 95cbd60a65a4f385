'use server'
import { z } from 'zod'
import type { Result } from '@/lib/errors'
import { changeOwnPassword, NewPassword } from '@/lib/server/access/accounts'
import { EVERYWHERE } from '@/lib/server/access/actor'
import { setSessionCookie } from '@/lib/server/access/session'
import { audited, guardAction } from '@/lib/server/audit/guard-action'
import { env } from '@/lib/server/process/env'
import { parseInput } from '@/lib/server/process/result'
import { forgetFirstSignIn } from '@/lib/server/start/first-run'

const PasswordChange = z
  .strictObject({ current: z.string().max(1000), next: NewPassword })
  .refine(({ current, next }) => current !== next, {
    path: ['next'],
    error: 'Choose another password than the current one.',
  })

/** Sets one's own password and ends all other sessions; this browser stays signed in. */
export async function changePassword(given: { current: string; next: string }): Promise<Result<null>> {
  return guardAction(async (requestId) => {
    const { current, next } = parseInput(PasswordChange, given)
    return audited(
      { workspace: EVERYWHERE, role: null, operation: 'changePassword', fields: ['password'], requestId },
      async (actor) => {
        const account = await changeOwnPassword(actor.id, current, next)
        if (account.email === env().PILOTHOUSE_ADMIN_EMAIL) forgetFirstSignIn()
        await setSessionCookie(account)
        return null
      },
    )
  })
}
