import { withBasePath } from '@/lib/base-path'
import type { OpenInvitation } from '@/lib/contracts/invitation'
import type { Result } from '@/lib/errors'
import { routes } from '@/lib/routes'

const post = async <T>(path: string, body: object): Promise<Result<T>> => {
  const response = await fetch(withBasePath(path), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  return (await response.json()) as Result<T> // our own route handlers
}

/** Reads the invitation of a token, or the one that this browser has opened before. */
export const openInvitation = (token: string | undefined) =>
  post<OpenInvitation>(routes.openInvitation(), token ? { token } : {})

/** Accepts it as the signed-in account, or with a new one. */
export const acceptInvitation = (account: { name: string; password: string } | undefined) =>
  post<{ workspace: string }>(routes.acceptInvitation(), account ?? {})
