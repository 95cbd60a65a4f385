'use server'
import { z } from 'zod'
import type { Settled } from '@/lib/errors'
import { changeOwnPassword, NewPassword } from '@/lib/server/accounts'
import { EVERYWHERE } from '@/lib/server/actor'
import { env } from '@/lib/server/env'
import { forgetFirstSignIn } from '@/lib/server/first-run'
import { audited, guardAction } from '@/lib/server/guard-action'
import { setSessionCookie } from '@/lib/server/session'
import { parseInput } from '@/lib/server/settle'

const PasswordChange = z
  .strictObject({ current: z.string().max(1000), next: NewPassword })
  .refine(({ current, next }) => current !== next, {
    path: ['next'],
    error: 'Choose another password than the current one.',
  })

/** Sets one's own password and ends all other sessions; this browser stays signed in. */
export async function changePassword(given: { current: string; next: string }): Promise<Settled<null>> {
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
