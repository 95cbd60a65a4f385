import { withBasePath } from '@/lib/base-path'
import type { Result } from '@/lib/errors'
import { routes } from '@/lib/routes'

/** Asks the console to print a new sign-in link in its terminal. Undefined if it did not respond. */
export const printSignInLink = (): Promise<Result<null> | undefined> =>
  fetch(withBasePath(routes.signInLink()), { method: 'POST' })
    .then(async (response) => (await response.json()) as Result<null>) // our own route handler
    .catch(() => undefined)
