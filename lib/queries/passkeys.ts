import { withBasePath } from '@/lib/base-path'
import type { Result } from '@/lib/errors'
import { routes } from '@/lib/routes'

/** Asks for a passkey of this console and returns what it says, for next-auth. Undefined if the user cancelled. */
export async function askPasskey(): Promise<string | undefined> {
  const [{ startAuthentication }, answer] = await Promise.all([
    import('@simplewebauthn/browser'),
    fetch(withBasePath(routes.signInPasskey()), { method: 'POST' }),
  ])
  type Options = Parameters<typeof startAuthentication>[0]['optionsJSON']
  const result = (await answer.json()) as Result<Options> // our own route handler
  if (!result.ok) throw new Error(result.error.message)
  return await startAuthentication({ optionsJSON: result.data }).then(
    (response) => JSON.stringify(response),
    () => undefined,
  )
}
