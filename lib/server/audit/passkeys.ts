import 'server-only'
import type { PublicKeyCredentialCreationOptionsJSON } from '@simplewebauthn/server'
import { consoleRecords, type RecordOperation } from '@/lib/contracts/console-records'
import type { PasskeySettings } from '@/lib/contracts/passkey'
import { AppError } from '@/lib/errors'
import { type AccountWays, accountWays, confirmPassword } from '../access/accounts'
import { type Actor, assertSession, EVERYWHERE } from '../access/actor'
import { passkeyHost, register, registrationOptions } from '../access/passkeys'
import { erasePasskey, passkeysOf, requirePasskey } from '../identity/passkeys'
import { db } from '../process/db'
import { audited } from './own-records'

const MOST = 20

/** The user's own passkeys. */
export async function readPasskeys(actor: Actor): Promise<PasskeySettings> {
  await assertSession(actor)
  const [ways, passkeys] = await Promise.all([accountWays(actor.id), passkeysOf(actor.id)])
  return {
    passkeys: passkeys.map(({ id, name, createdAt, lastUsedAt }) => ({
      ...{ id, name },
      createdAt: createdAt.toISOString(),
      lastUsedAt: lastUsedAt?.toISOString() ?? null,
    })),
    hasPassword: ways.hasPassword,
    isRequired: ways.requiresPasskey,
    host: passkeyHost(),
  }
}

/** Begins adding a passkey, after the password. An open session alone must not give lasting access. */
export async function beginPasskey(actor: Actor, password: string): Promise<PublicKeyCredentialCreationOptionsJSON> {
  const ways = await confirmed(actor, password)
  if ((await passkeysOf(actor.id)).length >= MOST)
    throw new AppError('conflict', `You have ${MOST} passkeys. Remove one first.`)
  return await registrationOptions(ways)
}

/** Stores the passkey that was begun in this browser. */
export const addPasskey = (
  actor: Actor,
  given: { name: string; response: unknown },
  requestId: string,
): Promise<void> =>
  own(consoleRecords.addPasskey, actor, {}, requestId, () => register(actor.id, given.name, given.response))

export const removePasskey = (
  actor: Actor,
  given: { id: string; password: string },
  requestId: string,
): Promise<void> =>
  own(consoleRecords.removePasskey, actor, {}, requestId, async () => {
    await confirmed(actor, given.password)
    if (!(await erasePasskey(actor.id, given.id))) throw new AppError('not_found', 'You have no such passkey.')
  })

/** Makes a password sign in only together with a passkey, or alone again. */
export const setPasskeyRequired = (
  actor: Actor,
  given: { isRequired: boolean; password: string },
  requestId: string,
): Promise<void> =>
  own(consoleRecords.requirePasskey, actor, { required: String(given.isRequired) }, requestId, async () => {
    const { hasPassword } = await confirmed(actor, given.password)
    if (!hasPassword) throw new AppError('unsupported', 'Your account has no password.')
    if (given.isRequired && (await passkeysOf(actor.id)).length === 0)
      throw new AppError('conflict', 'Add a passkey first.')
    await requirePasskey(await db(), actor.id, given.isRequired)
  })

const own = (
  op: RecordOperation,
  actor: Actor,
  params: Record<string, string>,
  requestId: string,
  effect: () => Promise<void>,
) => audited(op, { actor, workspace: EVERYWHERE, params, requestId }, effect)

/** The account, once its password was given. One without a password has nothing to ask for. */
async function confirmed(actor: Actor, password: string): Promise<AccountWays> {
  const ways = await accountWays(actor.id)
  if (ways.hasPassword) await confirmPassword(actor.id, password, 'password')
  return ways
}
