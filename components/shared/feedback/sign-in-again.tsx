'use client'
import type { MouseEvent } from 'react'
import { Button } from '@/components/ui/button'
import { routes } from '@/lib/routes'

/** A sign-in link for an ended session. Next to a form it opens a new tab, so that the form can be sent afterwards. */
export const SignInAgain = () => (
  <Button size="sm" onClick={signInAgain}>
    Sign in
  </Button>
)

function signInAgain({ currentTarget }: MouseEvent): void {
  const address = routes.signIn(window.location.pathname + window.location.search)
  if (currentTarget.closest('form, [role=dialog]')) window.open(address, '_blank')
  // A full page load, which clears the ended session's cached data.
  else window.location.assign(address)
}
