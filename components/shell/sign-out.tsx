'use client'
import { Button } from '@/components/ui/button'
import { routes } from '@/lib/routes'

/** Ends the session, forgets the drafts of this tab and opens the sign-in page. The library is loaded only here, because no page needs it to render. */
export async function endSession(): Promise<void> {
  const { signOut } = await import('next-auth/react')
  sessionStorage.clear()
  await signOut({ callbackUrl: routes.signIn() })
}

export const SignOutButton = () => <Button onClick={() => void endSession()}>Sign out</Button>
