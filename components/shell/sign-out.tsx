'use client'
import { keepRecentOf } from '@/components/shared/layout/recent'
import { Button } from '@/components/ui/button'
import { loadAuthClient } from '@/lib/auth-client'
import { withBasePath } from '@/lib/base-path'
import { routes } from '@/lib/routes'

/** Ends the session, also at the identity provider, and forgets the drafts of this tab and what was opened. */
export async function endSession(): Promise<void> {
  const { signOut } = await loadAuthClient()
  sessionStorage.clear()
  keepRecentOf('')
  await signOut({ callbackUrl: withBasePath(routes.signOut()) })
}

export const SignOutButton = () => <Button onClick={() => void endSession()}>Sign out</Button>
