import 'server-only'
import { z } from 'zod'
import { withBasePath } from '@/lib/base-path'
import { routes } from '@/lib/routes'
import { currentSession, takeProviderSession } from '../access/session'
import { env } from '../process/env'
import { log } from '../process/log'
import { parseBase } from '../upstream/destination'
import { isSuccess } from '../upstream/exchange'
import { requestText } from '../upstream/request'

/** The user is already signed out here and waits for this. */
const TIMEOUT_MS = 5_000
const MAX_BYTES = 1024 * 1024

const Discovery = z.looseObject({ issuer: z.string(), end_session_endpoint: z.url().optional() })

/**
 * Where the browser goes after its session has ended: to the identity provider, if it came from there, to end that session
 * too. While a session lasts it does nothing, so that another site cannot end one.
 */
export async function afterSignOut(): Promise<string> {
  if (await currentSession()) return withBasePath('/')
  const session = await takeProviderSession()
  const signIn = withBasePath(routes.signIn())
  if (!session) return signIn
  try {
    const endpoint = await endSessionEndpoint()
    if (endpoint) return endSessionUrl(endpoint, session.idToken)
    log.info('sign_out.local_only', { reason: 'the provider has no end_session_endpoint' })
  } catch (error) {
    log.warn('sign_out.local_only', { error })
  }
  return `${signIn}?error=ProviderSignOut`
}

/** From the provider's discovery document; undefined if it has none. Throws if the document is unusable. */
async function endSessionEndpoint(): Promise<URL | undefined> {
  const { OIDC_ISSUER } = env()
  if (!OIDC_ISSUER) return undefined
  const answer = await requestText({
    to: {
      what: 'identity provider',
      base: parseBase(OIDC_ISSUER, 'identity provider'),
      reach: 'listed',
      credentials: {},
      isKeyWithheld: false,
    },
    path: '/.well-known/openid-configuration',
    method: 'GET',
    headers: { accept: 'application/json' },
    timeoutMs: TIMEOUT_MS,
    maxBytes: MAX_BYTES,
  })
  if (!isSuccess(answer.status)) throw new Error(`The identity provider answered ${answer.status}.`)
  const found = Discovery.parse(JSON.parse(answer.text))
  if (found.issuer.replace(/\/$/, '') !== OIDC_ISSUER.replace(/\/$/, ''))
    throw new Error('The discovery document is of another issuer.')
  if (!found.end_session_endpoint) return undefined
  const endpoint = new URL(found.end_session_endpoint)
  const isSafe = endpoint.protocol === 'https:' || endpoint.protocol === new URL(OIDC_ISSUER).protocol
  if (!isSafe) throw new Error('The end_session_endpoint is not https.')
  return endpoint
}

function endSessionUrl(endpoint: URL, idToken: string | undefined): string {
  const { OIDC_CLIENT_ID, NEXTAUTH_URL } = env()
  const url = new URL(endpoint)
  if (OIDC_CLIENT_ID) url.searchParams.set('client_id', OIDC_CLIENT_ID)
  if (idToken) url.searchParams.set('id_token_hint', idToken)
  url.searchParams.set('post_logout_redirect_uri', NEXTAUTH_URL + routes.signIn())
  return url.href
}
