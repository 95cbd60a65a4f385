import { withBasePath } from '@/lib/base-path'
import { signInCode } from '@/lib/contracts/sign-in-code'
import type { Result } from '@/lib/errors'
import { routes } from '@/lib/routes'

/** `passkey`: what it says, for next-auth. `code`: of the failed sign-in; undefined if the user cancelled. */
type Asked = { passkey: string; code?: undefined } | { passkey?: undefined; code: string | undefined }

/** Asks for a passkey of this console. */
export async function askPasskey(): Promise<Asked> {
  const [{ startAuthentication }, answer] = await Promise.all([
    import('@simplewebauthn/browser'),
    fetch(withBasePath(routes.signInPasskey()), { method: 'POST' }),
  ])
  type Options = Parameters<typeof startAuthentication>[0]['optionsJSON']
  const result = (await answer.json()) as Result<Options> // our own route handler
  if (!result.ok) return { code: signInCode(result.error) }
  return await startAuthentication({ optionsJSON: result.data }).then(
    (response) => ({ passkey: JSON.stringify(response) }),
    () => ({ code: undefined }),
  )
}
