import { redirect } from 'next/navigation'
import { NoWorkspace } from '@/components/shell/no-workspace'
import { routes } from '@/lib/routes'
import { pageActor } from '@/lib/server/access/page-actor'
import { listWorkspaces } from '@/lib/server/access/workspaces'

export default async function Page() {
  const actor = await pageActor()
  const [first] = await listWorkspaces(actor)
  if (first) redirect(routes.deployments(first.slug))
  return <NoWorkspace email={actor.email} />
}
