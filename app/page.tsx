import { redirect } from 'next/navigation'
import { routes } from '@/lib/routes'
import { sessionActor } from '@/lib/server/actor'
import { AppError } from '@/lib/errors'
import { listWorkspaces } from '@/lib/server/workspaces'
import { NoWorkspace } from '@/components/shell/no-workspace'

export default async function Page() {
  const actor = await sessionActor().catch((error: unknown) => {
    if (error instanceof AppError && error.code === 'unauthenticated') redirect(routes.signIn())
    throw error
  })
  const [first] = await listWorkspaces(actor)
  if (first) redirect(routes.deployments(first.slug))
  return <NoWorkspace email={actor.email} />
}
