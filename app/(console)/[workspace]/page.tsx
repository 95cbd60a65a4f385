import type { Metadata } from 'next'
import { cookies } from 'next/headers'
import { RecentChanges } from '@/components/audit/recent-changes'
import { AddDeployment } from '@/components/deployments/add-deployment'
import { FAILING } from '@/components/deployments/fleet-summary'
import { ModelSample } from '@/components/deployments/model-sample'
import { HomeChat } from '@/components/runs/chat/home-chat'
import { FAILED, FailedRuns } from '@/components/runs/list/failed-runs'
import { Hydrated } from '@/components/shared/layout/hydrated'
import { PageHeader } from '@/components/shared/layout/page-header'
import { limitSentence } from '@/components/shell/limit-sentence'
import { FirstSteps } from '@/components/shell/tour/first-steps'
import { STEPS_COOKIE, TOUR_COOKIE } from '@/components/shell/tour/places'
import { TourOffer } from '@/components/shell/tour/tour-offer'
import { isAtLeast } from '@/lib/contracts/wire/api'
import { isLimited } from '@/lib/contracts/wire/rights'
import { recentChangesQuery } from '@/lib/queries/audit'
import { deploymentRowsQuery } from '@/lib/queries/deployments'
import { runRowsQuery } from '@/lib/queries/runs'
import { pageWorkspace } from '@/lib/server/access/page-actor'
import { within } from '@/lib/server/process/within'
import { prefetchRead } from '@/lib/server/relay/prefetch'
import { readRecentChanges } from '@/lib/server/resources/changes/audit'
import { readDeploymentRows } from '@/lib/server/resources/deployment-rows'
import { readRunRows } from '@/lib/server/resources/runs/list'
import { Attention } from './attention'
import { Charts } from './charts'
import { firstSteps } from './first-steps'
import { visibleRecordings } from './recordings'

export const metadata: Metadata = { title: 'Home' }

/** The page does not wait longer for the first steps. */
const STEPS_MS = 500

/** What is wrong right now: the health of all deployments, failed runs, and the figures of the last days. */
export default async function Page({ params }: PageProps<'/[workspace]'>) {
  const { workspace } = await params
  const { actor, current } = await pageWorkspace(workspace)
  const [{ items }, deployments, runs] = await Promise.all([
    visibleRecordings({ workspace, limit: 1 }),
    prefetchRead(deploymentRowsQuery(workspace, FAILING).queryKey, (signal) =>
      readDeploymentRows(workspace, FAILING, { actor, signal }),
    ),
    prefetchRead(runRowsQuery(workspace, FAILED).queryKey, () => readRunRows(workspace, FAILED, actor)),
    prefetchRead(recentChangesQuery(workspace).queryKey, () => readRecentChanges(workspace, actor)),
  ])
  const hasRuns = items.length > 0
  const isFresh = !(hasRuns || deployments?.rows.length || runs?.rows.length)
  const isAdmin = isAtLeast(current.role, 'admin')
  const seen = await cookies()
  const isNew = !seen.has(TOUR_COOKIE)
  const steps =
    isAdmin && !seen.has(STEPS_COOKIE) ? await within(STEPS_MS, firstSteps(workspace, actor, hasRuns), []) : []
  const chat = <HomeChat workspace={workspace} isFresh={isFresh} add={<AddDeployment workspace={workspace} />} />
  return (
    <Hydrated>
      <PageHeader title="Home">
        {isLimited(current.rights) ? (
          <p className="mt-1 text-ink-2">{limitSentence(Object.keys(current.rights.deployments).length)}</p>
        ) : null}
      </PageHeader>
      <div className="flex flex-col gap-4">
        {isFresh ? chat : null}
        {isNew ? <TourOffer /> : null}
        <div>
          <Attention workspace={workspace} />
        </div>
        <FailedRuns workspace={workspace} />
        {isFresh ? null : chat}
        {steps.length > 0 ? <FirstSteps steps={steps} /> : null}
        {current.kind === 'embedded' && isAdmin ? <ModelSample workspace={workspace} /> : null}
        <div>
          <Charts workspace={workspace} />
        </div>
        <RecentChanges workspace={workspace} canOpenAudit={isAdmin} />
      </div>
    </Hydrated>
  )
}
