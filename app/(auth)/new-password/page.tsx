import type { Metadata } from 'next'
import { redirect } from 'next/navigation'
import { localPath } from '@/components/auth/local-path'
import { AuthFrame } from '@/components/auth/sign-in-page'
import { InitialPasswordForm } from '@/components/shell/change-password'
import { routes } from '@/lib/routes'
import { currentSession } from '@/lib/server/access/session'

export const metadata: Metadata = { title: 'Choose a password' }

export default async function Page({ searchParams }: PageProps<'/new-password'>) {
  const { callbackUrl } = await searchParams
  const next = localPath(typeof callbackUrl === 'string' ? callbackUrl : undefined)
  const session = await currentSession()
  if (!session) redirect(routes.signIn(next))
  if (!session.stamp.hasInitialPassword) redirect(next)
  return (
    <AuthFrame title="Choose a password">
      <p className="mb-4 text-ink-2 text-xs">
        {session.account.email} signed in with an initial password, which works for this change only.
      </p>
      <InitialPasswordForm next={next} />
    </AuthFrame>
  )
}
