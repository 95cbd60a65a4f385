import { redirect } from 'next/navigation'
import { EmptyState } from '@/components/shared/feedback/empty-state'
import { SignOutButton } from '@/components/shell/sign-out'
import { routes } from '@/lib/routes'
import { visibleServers } from '@/lib/server/access/direct-servers'
import { pageActor } from '@/lib/server/access/page-actor'
import { listWorkspaces } from '@/lib/server/access/workspaces'

export default async function Page() {
  const actor = await pageActor()
  const [first] = await listWorkspaces(actor)
  // Attaching to a running server is for talking to it.
  if (first?.kind === 'direct' && first.source === 'environment') {
    const [server] = await visibleServers(actor, first.slug)
    if (server) redirect(routes.chat(first.slug, server.id))
  }
  if (first) redirect(routes.workspace(first.slug))
  return <NoWorkspace email={actor.email} />
}

const NoWorkspace = ({ email }: { email: string }) => (
  <main className="mx-auto max-w-xl py-24">
    <EmptyState title="No workspaces yet" action={<SignOutButton />}>
      You are signed in as {email}. Ask an administrator to add you to a workspace, then reload this page.
    </EmptyState>
  </main>
)
