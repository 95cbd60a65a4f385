import type { Metadata } from 'next'
import { redirect } from 'next/navigation'
import { SignInPage } from '@/components/auth/sign-in-page'
import { hasSingleSignOn } from '@/lib/server/access/auth'
import { currentSession, hasSessionCookie } from '@/lib/server/access/session'
import { signInWays } from '@/lib/server/access/sign-in-link'
import { hasPasskeys } from '@/lib/server/identity/passkeys'

export const metadata: Metadata = { title: 'Sign in' }

export default async function Page({ searchParams }: PageProps<'/sign-in'>) {
  if (await currentSession()) redirect('/')
  const { callbackUrl, error, ended } = await searchParams
  return (
    <SignInPage
      callbackUrl={typeof callbackUrl === 'string' ? callbackUrl : undefined}
      error={typeof error === 'string' ? error : undefined}
      isSessionEnded={ended !== undefined || (await hasSessionCookie())}
      hasSingleSignOn={hasSingleSignOn()}
      hasPasskeys={await hasPasskeys()}
      {...(await signInWays())}
    />
  )
}
