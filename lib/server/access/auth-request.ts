import 'server-only'
import { cookieName } from './session'

const OWN_CALLBACK = /\/callback\/(credentials|passkey)(\/|$)/

/** What next-auth would answer with 500 or log at a level of the client's choice; undefined if it may be handed on. */
export function refuseAuthRequest({
  method,
  url,
  headers,
}: Pick<Request, 'method' | 'url' | 'headers'>): Response | undefined {
  const { pathname, searchParams } = new URL(url)
  if (pathname.endsWith('/_log')) return new Response('Not found', { status: 404 })
  // Only an identity provider sends the browser back with GET; a password or passkey is posted.
  if (method !== 'POST' && OWN_CALLBACK.test(decoded(pathname)))
    return new Response('Method not allowed', { status: 405, headers: { allow: 'POST' } })
  if (method === 'POST' && /application\/json/i.test(headers.get('content-type') ?? ''))
    return new Response('Sign-in takes forms only.', { status: 415 })
  const kept = (headers.get('cookie') ?? '').split('; ').find((one) => one.startsWith(`${cookieName('callback')}=`))
  const given = [searchParams.get('callbackUrl'), kept?.slice(kept.indexOf('=') + 1)]
  return given.every((one) => !one || isCallback(one))
    ? undefined
    : new Response('The callback URL is not a path or an http address.', { status: 400 })
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}

function isCallback(text: string): boolean {
  try {
    return /^https?:$/.test(
      new URL(decodeURIComponent(text), text.startsWith('/') ? 'http://console' : undefined).protocol,
    )
  } catch {
    return false
  }
}
