'use client'
import { keepRecentOf } from '@/components/shared/layout/recent'
import { Button } from '@/components/ui/button'
import { routes } from '@/lib/routes'

/** Ends the session, also at the identity provider, and forgets the drafts of this tab and what was opened. The library is loaded only here, because no page needs it to render. */
export async function endSession(): Promise<void> {
  const { signOut } = await import('next-auth/react')
  sessionStorage.clear()
  keepRecentOf('')
  await signOut({ callbackUrl: routes.signOut() })
}

export const SignOutButton = () => <Button onClick={() => void endSession()}>Sign out</Button>
