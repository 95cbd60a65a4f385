import { Rights } from '@/components/shared/layout/rights'
import { Shell } from '@/components/shell/shell'
import { isAtLeast } from '@/lib/contracts/wire/api'
import { pageWorkspace } from '@/lib/server/access/page-actor'

export default async function Layout({ params, children }: LayoutProps<'/[workspace]'>) {
  const { actor, current, all } = await pageWorkspace((await params).workspace)
  // Only names and roles reach the browser here; other workspace details are for the settings page.
  const workspaces = all.map(({ slug, name, role }) => ({ slug, name, role }))
  const { slug, name, role } = current
  return (
    <Rights canRun={isAtLeast(role, 'developer')} canAdminister={isAtLeast(role, 'admin')}>
      <Shell email={actor.email} current={{ slug, name, role }} workspaces={workspaces}>
        {children}
      </Shell>
    </Rights>
  )
}
