import { headers } from 'next/headers'
import { notFound, redirect } from 'next/navigation'
import { Rights } from '@/components/shared/rights'
import { Shell } from '@/components/shell/shell'
import { isAtLeast } from '@/lib/contracts/api'
import { AppError } from '@/lib/errors'
import { routes } from '@/lib/routes'
import { sessionActor } from '@/lib/server/actor'
import { listWorkspaces } from '@/lib/server/workspaces'

export default async function Layout({ params, children }: LayoutProps<'/[workspace]'>) {
  const { workspace } = await params
  const actor = await sessionActor().catch(async (error: unknown) => {
    if (!(error instanceof AppError) || error.code !== 'unauthenticated') throw error
    redirect(routes.signIn((await headers()).get('x-path') ?? routes.workspace(workspace)))
  })
  const workspaces = (await listWorkspaces(actor)).map(({ slug, name, role }) => ({ slug, name, role }))
  const current = workspaces.find((one) => one.slug === workspace)
  // One that does not exist and one that this person may not know of look alike.
  if (!current) notFound()
  return (
    <Rights canRun={isAtLeast(current.role, 'developer')} canAdminister={isAtLeast(current.role, 'admin')}>
      <Shell email={actor.email} current={current} workspaces={workspaces}>
        {children}
      </Shell>
    </Rights>
  )
}
