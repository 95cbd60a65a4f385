import 'server-only'
import type { NextAuthOptions } from 'next-auth'
import CredentialsProvider from 'next-auth/providers/credentials'
import { AppError } from '@/lib/errors'
import { env } from '../process/env'
import { log } from '../process/log'
import { type Account, checkPassword } from './accounts'
import { accountOfSubject, admitFromClaims, oidcProvider } from './oidc'
import {
  activeAccount,
  claimsFor,
  cookieName,
  endOf,
  endSession,
  isHttps,
  SESSION_SECONDS,
  SessionClaims,
  sessionSecret,
} from './session'

/** Where the request came from, as the nearest proxy saw it: entries before the last are the client's own words. */
const addressOf = (headers: Record<string, unknown> | undefined): string =>
  String(headers?.['x-forwarded-for'] ?? '')
    .split(',')
    .at(-1)
    ?.trim() || 'unknown'

/** Null = refused. Thrown messages reach the sign-in form as its error code; components/auth/sign-in-errors.ts has the sentences. */
async function authorize(
  given: Record<'email' | 'password', string> | undefined,
  headers: Record<string, unknown> | undefined,
) {
  try {
    return await checkPassword(given?.email, given?.password, addressOf(headers))
  } catch (error) {
    if (error instanceof AppError && error.code === 'rate_limited')
      throw new Error(`RateLimited:${Math.ceil((error.view.retryAfterMs ?? 0) / 1000)}`)
    log.error('sign_in.failed', { error })
    throw new Error('Unavailable')
  }
}

const cookie = (name: string, maxAge?: number) => ({
  name: cookieName(name),
  options: { httpOnly: true, sameSite: 'lax' as const, path: '/', secure: isHttps(), ...(maxAge && { maxAge }) },
})

/** The settings of next-auth, made at use: the build has no environment. */
export function authOptions(): NextAuthOptions {
  const oidc = oidcProvider()
  return {
    secret: sessionSecret(),
    useSecureCookies: isHttps(),
    session: { strategy: 'jwt', maxAge: SESSION_SECONDS },
    pages: { signIn: '/sign-in', error: '/sign-in', signOut: '/sign-in' },
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
        credentials: { email: {}, password: {} },
        authorize: (given, request) => authorize(given, request.headers),
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
        return refusal === null ? true : `/sign-in?error=${refusal}`
      },
      async jwt({ token, user, account }) {
        if (user) {
          const own = account?.provider === 'oidc' ? await accountOfSubject(user.id) : (user as Account) // what authorize gave
          if (!own) throw new Error('The account was disabled while it signed in.')
          return { email: own.email, name: own.name, ...claimsFor(own) }
        }
        // A renewal: thrown here, next-auth drops the cookie of a session that is over.
        const claims = SessionClaims.parse(token)
        const standing =
          Date.now() < endOf(claims) &&
          (await activeAccount(claims.sub, { id: claims.session, version: claims.version }))
        if (!standing) throw new Error('The session is over.')
        return token
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
        // A cookie of an ended session or of another secret is everyday.
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
