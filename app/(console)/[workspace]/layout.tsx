import { PageSkeleton } from '@/components/shared/feedback/page-skeleton'
import { Favourites } from '@/components/shared/layout/favourites'
import { PageBoundary } from '@/components/shared/layout/page-boundary'
import { Rights } from '@/components/shared/layout/rights'
import { Shell } from '@/components/shell/shell'
import { setFavourite } from '@/lib/actions/favourites'
import { isLoopback } from '@/lib/contracts/wire/address'
import { isAtLeast } from '@/lib/contracts/wire/api'
import { deploymentsWith, isLimited } from '@/lib/contracts/wire/rights'
import { type PageWorkspace, pageWorkspace } from '@/lib/server/access/page-actor'
import { env } from '@/lib/server/process/env'
import { listFavourites } from '@/lib/server/records/favourites'

export default async function Layout({ params, children }: LayoutProps<'/[workspace]'>) {
  const { actor, current, all } = await pageWorkspace((await params).workspace)
  // Only names and roles reach the browser here; other workspace details are for the settings page.
  const workspaces = all.map(shown)
  const { slug, kind, role, rights, tracesUrl } = current
  // Optional: every page works without them.
  const favourites = await listFavourites(actor, slug).catch(() => [])
  return (
    <Rights
      canRun={isAtLeast(role, 'developer')}
      canAdminister={rights.role === 'admin'}
      runsIn={deploymentsWith(rights, 'developer')}
      administersIn={deploymentsWith(rights, 'admin')}
      // The embedded platform stores traces itself.
      hasTraces={kind === 'embedded' || tracesUrl !== null}
      hasControlPlane={kind !== 'direct'}
      isInContainer={env().PILOTHOUSE_IN_CONTAINER && isLoopback(env().PLATFORM_HOST)}
    >
      <Favourites workspace={slug} stored={favourites} save={setFavourite}>
        <Shell email={actor.email} current={shown(current)} workspaces={workspaces}>
          {/* Not a loading.tsx, which would replace the page before at once. */}
          <PageBoundary fallback={<PageSkeleton />}>{children}</PageBoundary>
        </Shell>
      </Favourites>
    </Rights>
  )
}

const shown = ({ slug, name, role, rights }: PageWorkspace) => ({
  ...{ slug, name, role },
  ...(isLimited(rights) && { limitedTo: Object.keys(rights.deployments).length }),
})
