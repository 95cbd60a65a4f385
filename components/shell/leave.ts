import { routes } from '@/lib/routes'

/** Ends the session and leads to the sign-in. The library comes when it is asked for: no page needs it to show itself. */
export async function leave(): Promise<void> {
  const { signOut } = await import('next-auth/react')
  await signOut({ callbackUrl: routes.signIn() })
}
