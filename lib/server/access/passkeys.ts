import 'server-only'
import {
  type AuthenticationResponseJSON,
  generateAuthenticationOptions,
  generateRegistrationOptions,
  type PublicKeyCredentialCreationOptionsJSON,
  type PublicKeyCredentialRequestOptionsJSON,
  type RegistrationResponseJSON,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from '@simplewebauthn/server'
import { eq } from 'drizzle-orm'
import { z } from 'zod'
import { AppError } from '@/lib/errors'
import { findPasskey, notePasskeyUse, passkeysOf, spendChallenge, storePasskey } from '../identity/passkeys'
import { db } from '../process/db'
import { env } from '../process/env'
import { log } from '../process/log'
import { accounts } from '../process/schema'
import { type Account, accountColumns } from './accounts'
import { readSealedCookie, setSealedCookie } from './session'
import { addressLimit, assertAllowed, sharedLimiter } from './shared-limiter'

const CHALLENGE_SECONDS = 300
/** For one address, which may be that of an office. */
const CHALLENGES = { max: 60, windowMs: 60_000 }
/** What a registration and a sign-in keep apart: one challenge never serves the other. */
type Purpose = 'registration' | 'sign-in'

const place = () => {
  const { origin, hostname } = new URL(env().NEXTAUTH_URL)
  return { origin, host: hostname }
}

/** The host name that passkeys are bound to. */
export const passkeyHost = (): string => place().host

const Text = z.string().max(10_000)
const Assertion = z.object({
  id: Text,
  rawId: Text,
  type: z.literal('public-key'),
  response: z.object({
    clientDataJSON: Text,
    authenticatorData: Text,
    signature: Text,
    userHandle: Text.optional(),
  }),
  clientExtensionResults: z.object({}).default({}),
})
const Attestation = z.object({
  id: Text,
  rawId: Text,
  type: z.literal('public-key'),
  response: z.object({
    clientDataJSON: Text,
    attestationObject: z.string().max(100_000),
    transports: z.array(z.string().max(20)).max(10).optional(),
  }),
  clientExtensionResults: z.object({}).default({}),
})

/** What the browser needs to create a passkey for this account. */
export async function registrationOptions(
  account: Pick<Account, 'id' | 'email' | 'name'>,
): Promise<PublicKeyCredentialCreationOptionsJSON> {
  const options = await generateRegistrationOptions({
    rpName: 'Pilothouse',
    rpID: passkeyHost(),
    userID: new Uint8Array(Buffer.from(account.id)),
    userName: account.email,
    userDisplayName: account.name || account.email,
    excludeCredentials: (await passkeysOf(account.id)).map(({ id }) => ({ id })),
    // It signs in without a password: the authenticator finds it without a name, and asks for a PIN or a finger.
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  })
  await keepChallenge('registration', options.challenge)
  return options
}

/** Stores the passkey that the browser has created. Throws AppError invalid or conflict. */
export async function register(account: string, name: string, given: unknown): Promise<void> {
  const response = Attestation.safeParse(given)
  const challenge = await takeChallenge('registration')
  const verified =
    response.success && challenge !== null
      ? await verifyRegistrationResponse({
          response: response.data as RegistrationResponseJSON, // the schema has its fields
          expectedChallenge: challenge,
          expectedOrigin: place().origin,
          expectedRPID: passkeyHost(),
        }).catch((error: unknown) => refused('registration', error))
      : null
  if (!verified?.verified)
    throw new AppError('invalid', 'The passkey could not be checked, or it took too long. Try again.')
  const { id, publicKey, counter } = verified.registrationInfo.credential
  const isNew = await storePasskey({
    id,
    account,
    name,
    publicKey: Buffer.from(publicKey).toString('base64url'),
    counter,
  })
  if (!isNew) throw new AppError('conflict', 'This passkey is registered already.')
}

/** What the browser needs to sign in with a passkey of anybody. Throws AppError rate_limited. */
export async function signInOptions(address: string): Promise<PublicKeyCredentialRequestOptionsJSON> {
  assertAllowed(await sharedLimiter().take(addressLimit('passkey challenges', address, CHALLENGES)))
  const options = await generateAuthenticationOptions({ rpID: passkeyHost(), userVerification: 'required' })
  await keepChallenge('sign-in', options.challenge)
  return options
}

/** The enabled account whose passkey answered the challenge of this browser; null for anything else. */
export async function accountOfPasskey(text: unknown): Promise<Account | null> {
  const response = Assertion.safeParse(parsed(text))
  const challenge = await takeChallenge('sign-in')
  const passkey = response.success ? await findPasskey(response.data.id) : undefined
  if (!response.success || !challenge || !passkey) return null
  const verified = await verifyAuthenticationResponse({
    response: response.data as AuthenticationResponseJSON, // the schema has its fields
    expectedChallenge: challenge,
    expectedOrigin: place().origin,
    expectedRPID: passkeyHost(),
    credential: {
      id: passkey.id,
      publicKey: new Uint8Array(Buffer.from(passkey.publicKey, 'base64url')),
      counter: passkey.counter,
    },
  }).catch((error: unknown) => refused('sign-in', error))
  if (!verified?.verified) return null
  await notePasskeyUse(passkey.id, verified.authenticationInfo.newCounter)
  const [account] = await (await db()).select(accountColumns).from(accounts).where(eq(accounts.id, passkey.account))
  return account ?? null
}

function refused(purpose: Purpose, error: unknown): null {
  log.info('passkey.refused', { purpose, reason: error instanceof Error ? error.message : '' })
  return null
}

function parsed(text: unknown): unknown {
  try {
    return typeof text === 'string' ? JSON.parse(text) : undefined
  } catch {
    return undefined
  }
}

const keepChallenge = (purpose: Purpose, challenge: string) =>
  setSealedCookie('passkey', JSON.stringify([purpose, challenge]), CHALLENGE_SECONDS)

/** The challenge that this browser was given, once. */
async function takeChallenge(purpose: Purpose): Promise<string | null> {
  const kept = await readSealedCookie('passkey')
  if (!kept) return null
  await setSealedCookie('passkey', '', 0)
  const [of, challenge] = JSON.parse(kept) as [Purpose, string] // written above, and sealed
  return of === purpose && (await spendChallenge(challenge)) ? challenge : null
}
