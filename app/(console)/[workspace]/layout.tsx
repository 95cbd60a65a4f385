import { Favourites } from '@/components/shared/layout/favourites'
import { Rights } from '@/components/shared/layout/rights'
import { Shell } from '@/components/shell/shell'
import { setFavourite } from '@/lib/actions/favourites'
import { isAtLeast } from '@/lib/contracts/wire/api'
import { pageWorkspace } from '@/lib/server/access/page-actor'
import { listFavourites } from '@/lib/server/records/favourites'

export default async function Layout({ params, children }: LayoutProps<'/[workspace]'>) {
  const { actor, current, all } = await pageWorkspace((await params).workspace)
  // Only names and roles reach the browser here; other workspace details are for the settings page.
  const workspaces = all.map(({ slug, name, role }) => ({ slug, name, role }))
  const { slug, name, role } = current
  // Optional: every page works without them.
  const favourites = await listFavourites(actor, slug).catch(() => [])
  return (
    <Rights canRun={isAtLeast(role, 'developer')} canAdminister={isAtLeast(role, 'admin')}>
      <Favourites workspace={slug} stored={favourites} save={setFavourite}>
        <Shell email={actor.email} current={{ slug, name, role }} workspaces={workspaces}>
          {children}
        </Shell>
      </Favourites>
    </Rights>
  )
}
