'use client'
import type { MouseEvent } from 'react'
import { Button } from '@/components/ui/button'
import { routes } from '@/lib/routes'

/** The way on when a session is over. Beside a form it opens a tab of its own: what was typed stays, and is sent again from here. */
export const SignInAgain = () => (
  <Button size="sm" onClick={signInAgain}>
    Sign in
  </Button>
)

function signInAgain({ currentTarget }: MouseEvent): void {
  const address = routes.signIn(window.location.pathname + window.location.search)
  if (currentTarget.closest('form, [role=dialog]')) window.open(address, '_blank')
  // A whole new page: what the browser kept of the ended session goes with it.
  else window.location.assign(address)
}
