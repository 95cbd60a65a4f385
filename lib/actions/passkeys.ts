'use server'
import { z } from 'zod'
import type { Result } from '@/lib/errors'
import { guardAction } from '@/lib/server/audit/guard-action'
import * as passkeys from '@/lib/server/audit/passkeys'
import { parseInput } from '@/lib/server/process/result'

const Password = z.string().max(1000)
const Begin = z.strictObject({ password: Password })
const Add = z.strictObject({
  name: z.string().trim().min(1, 'Enter a name.').max(60, 'Use at most 60 characters.'),
  response: z.unknown(),
})
const Remove = z.strictObject({ id: z.string().min(1).max(2000), password: Password })
const Require = z.strictObject({ isRequired: z.boolean(), password: Password })

/** What the browser needs to create a passkey. */
export async function beginPasskey(
  given: z.input<typeof Begin>,
): Promise<Result<Awaited<ReturnType<typeof passkeys.beginPasskey>>>> {
  return guardAction(async ({ actor }) => await passkeys.beginPasskey(actor, parseInput(Begin, given).password))
}

/** Adds the passkey that the browser has created. */
export async function addPasskey(given: { name: string; response: unknown }): Promise<Result<null>> {
  return guardAction(async ({ actor, requestId }) => {
    const { name, response } = parseInput(Add, given)
    await passkeys.addPasskey(actor, { name, response }, requestId)
    return null
  })
}

export async function removePasskey(given: z.input<typeof Remove>): Promise<Result<null>> {
  return guardAction(async ({ actor, requestId }) => {
    await passkeys.removePasskey(actor, parseInput(Remove, given), requestId)
    return null
  })
}

/** Whether the password asks for a passkey too. */
export async function setPasskeyRequired(given: z.input<typeof Require>): Promise<Result<null>> {
  return guardAction(async ({ actor, requestId }) => {
    await passkeys.setPasskeyRequired(actor, parseInput(Require, given), requestId)
    return null
  })
}
