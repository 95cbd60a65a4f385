'use client'
import type { MouseEvent } from 'react'
import { Button } from '@/components/ui/button'
import { withBasePath, withoutBasePath } from '@/lib/base-path'
import { routes } from '@/lib/routes'

/** A sign-in link for an ended session. Next to a form it opens a new tab, so that the form can be sent afterwards. */
export const SignInAgain = () => (
  <Button size="sm" onClick={signInAgain}>
    Sign in
  </Button>
)

/** The address of the sign-in page that leads back here. */
export function signInHere(): string {
  const here = withoutBasePath(window.location.pathname) ?? '/'
  return withBasePath(routes.signIn(here + window.location.search))
}

function signInAgain({ currentTarget }: MouseEvent): void {
  if (currentTarget.closest('form, [role=dialog]')) window.open(signInHere(), '_blank')
  // A full page load, which clears the ended session's cached data.
  else window.location.assign(signInHere())
}
