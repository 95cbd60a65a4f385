import 'server-only'
import type { NextAuthOptions } from 'next-auth'
import CredentialsProvider from 'next-auth/providers/credentials'
import { withBasePath, withoutBasePath } from '@/lib/base-path'
import { signInCode } from '@/lib/contracts/sign-in-code'
import { AppError } from '@/lib/errors'
import { routes } from '@/lib/routes'
import { env } from '../process/env'
import { log } from '../process/log'
import { type Account, checkPassword } from './accounts'
import { accountOfSubject, admitFromClaims, oidcProvider } from './oidc'
import { accountOfPasskey } from './passkeys'
import {
  activeAccount,
  claimsFor,
  cookieName,
  endSession,
  isCurrent,
  isHttps,
  knownDevice,
  rememberDevice,
  rememberProviderSession,
  SESSION_SECONDS,
  SessionClaims,
  seeSession,
  sessionSecret,
  stampOf,
} from './session'
import { addressLimit, limitFailures } from './shared-limiter'

/** Passkeys of one address that are refused. */
const FAILURES = { max: 30, windowMs: 60_000 }

/** The guard in front of the server has made it the client's address (`transport/request-guard.ts`). */
const addressOf = (headers: Record<string, unknown> | undefined): string =>
  String(headers?.['x-forwarded-for'] ?? 'unknown')

/** Null means refused. Thrown messages become the sign-in form's error code; see components/auth/sign-in-errors.ts. */
async function authorize(
  given: Record<'email' | 'password' | 'passkey', string> | undefined,
  headers: Record<string, unknown> | undefined,
) {
  try {
    const device = await knownDevice()
    const passkeyAccount = async () => (await accountOfPasskey(given?.passkey))?.id ?? null
    const account = await checkPassword(given?.email, given?.password, addressOf(headers), device, passkeyAccount)
    if (account) await rememberDevice(account.id, device)
    return account
  } catch (error) {
    if (error instanceof AppError && error.code === 'forbidden') throw new Error('PasskeyNeeded')
    throw failedSignIn(error)
  }
}

function failedSignIn(error: unknown): Error {
  const isLimited = error instanceof AppError && error.code === 'rate_limited'
  if (!isLimited) log.error('sign_in.failed', { error })
  return new Error(isLimited ? signInCode(error.view) : signInCode({ code: 'internal' }))
}

/** A passkey alone: the device has checked its owner. Null means refused. */
async function authorizePasskey(
  given: Record<'passkey', string> | undefined,
  headers: Record<string, unknown> | undefined,
) {
  try {
    const address = addressOf(headers)
    const limit = addressLimit('passkeys', address, FAILURES)
    const account = await limitFailures(limit, () => accountOfPasskey(given?.passkey))
    log.info(account ? 'sign_in.done' : 'sign_in.refused', { email: account?.email, address, by: 'passkey' })
    if (account) await rememberDevice(account.id, await knownDevice())
    return account ?? null
  } catch (error) {
    throw failedSignIn(error)
  }
}

const cookie = (name: string, maxAge?: number) => ({
  name: cookieName(name),
  options: {
    httpOnly: true,
    sameSite: 'lax' as const,
    path: withBasePath('/'),
    secure: isHttps(),
    ...(maxAge && { maxAge }),
  },
})

/** The options for next-auth. A function, because the environment is not available at build time. */
export function authOptions(): NextAuthOptions {
  const oidc = oidcProvider()
  const signInPage = withBasePath(routes.signIn())
  return {
    secret: sessionSecret(),
    useSecureCookies: isHttps(),
    session: { strategy: 'jwt', maxAge: SESSION_SECONDS },
    pages: { signIn: signInPage, error: signInPage, signOut: signInPage },
    cookies: {
      sessionToken: cookie('session'),
      callbackUrl: cookie('callback'),
      csrfToken: cookie('csrf'),
      pkceCodeVerifier: cookie('pkce', 900),
      state: cookie('state', 900),
      nonce: cookie('nonce', 900),
    },
    providers: [
      CredentialsProvider({
        credentials: { email: {}, password: {}, passkey: {} },
        authorize: (given, request) => authorize(given, request.headers),
      }),
      CredentialsProvider({
        id: 'passkey',
        credentials: { passkey: {} },
        authorize: (given, request) => authorizePasskey(given, request.headers),
      }),
      ...(oidc ? [oidc] : []),
    ],
    callbacks: {
      async signIn({ account, profile }) {
        if (account?.provider !== 'oidc') return true
        const refusal = await admitFromClaims(profile).catch((error: unknown) => {
          log.error('sign_in.failed', { error })
          return 'Unavailable'
        })
        return refusal === null ? true : `${signInPage}?error=${refusal}`
      },
      async jwt({ token, user, account }) {
        if (user) {
          const own = account?.provider === 'oidc' ? await accountOfSubject(user.id) : (user as Account) // returned by `authorize`
          if (!own) throw new Error('The account was disabled while it signed in.')
          await rememberProviderSession(account?.provider === 'oidc' ? account.id_token : null)
          const claims = claimsFor(own)
          await seeSession(own.id, stampOf(claims))
          return { email: own.email, name: own.name, ...claims }
        }
        // On renewal, throwing makes next-auth drop the cookie of an ended session.
        const claims = SessionClaims.parse(token)
        const standing =
          isCurrent(claims) && (await activeAccount(claims.sub, { id: claims.session, version: claims.version }))
        if (!standing) throw new Error('The session has ended.')
        return token
      },
      // next-auth's own throws for an address that cannot be read, and knows no path that the console is below.
      redirect: ({ url }) => {
        const home = env().NEXTAUTH_URL
        const wanted = URL.canParse(url, home) ? new URL(url, home) : undefined
        const isOurs = wanted?.origin === new URL(home).origin && withoutBasePath(wanted.pathname) !== undefined
        return isOurs ? wanted.href : home
      },
      session: ({ session, token }) => ({
        user: { email: token.email, name: token.name },
        expires: token.signedInAt
          ? new Date(Number(token.signedInAt) + SESSION_SECONDS * 1000).toISOString()
          : session.expires,
      }),
    },
    events: {
      async signOut({ token }) {
        const claims = SessionClaims.safeParse(token)
        if (claims.success) await endSession(claims.data)
      },
    },
    logger: {
      error: (code, metadata) =>
        // Cookies of ended sessions or with another secret are common, so this is not an error.
        code === 'JWT_SESSION_ERROR'
          ? log.info('session.dropped', { code })
          : log.error('next_auth.error', { code, error: metadata instanceof Error ? metadata : metadata.error }),
      warn: (code) => log.warn('next_auth.warning', { code }),
      debug: () => {},
    },
  }
}

/** Whether the sign-in page offers the identity provider. */
export const hasSingleSignOn = (): boolean => env().OIDC_ISSUER !== undefined
