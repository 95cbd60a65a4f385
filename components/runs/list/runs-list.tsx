'use client'

import { useQuery, useQueryClient } from '@tanstack/react-query'
import { CircleStop } from 'lucide-react'
import dynamic from 'next/dynamic'
import { type ReactNode, useMemo } from 'react'
import { useServerClock } from '@/components/runs/view/server-clock'
import { FoldedCharts } from '@/components/shared/chart/folded-charts'
import { EmptyState } from '@/components/shared/feedback/empty-state'
import { useTryAgain } from '@/components/shared/feedback/error-notice'
import { useRunReason } from '@/components/shared/layout/rights'
import { useLiveQuery } from '@/components/shared/layout/use-live-query'
import { CursorPager } from '@/components/shared/list/cursor-pager'
import { cursorTrail } from '@/components/shared/list/list-definition'
import { ListPage } from '@/components/shared/list/list-page'
import type { SelectionAction } from '@/components/shared/list/selection-bar'
import { useList } from '@/components/shared/list/use-list'
import { type Selected, useSelection } from '@/components/shared/list/use-selection'
import { Skeleton } from '@/components/ui/loading'
import { askServersAgain } from '@/lib/actions/deployments'
import { agentServer } from '@/lib/contracts/agent-server'
import { DEPTHS, isRowActive, MAX_RUNS, OUTPUT_HOURS, type RunRow } from '@/lib/contracts/agents/run-row'
import type { SavedView } from '@/lib/lists/saved'
import { invalidate } from '@/lib/queries/api-query'
import { runRowsQuery } from '@/lib/queries/runs'
import { routes } from '@/lib/routes'
import { CoverageNote, UnreadServers } from './coverage-note'
import { filtersOf, isFiltered, PAGE_SIZES, pageSizeOf, runList, runRowsQueryOf, workspaceRunList } from './list-query'
import { QuickFilters } from './quick-filters'
import { runColumns } from './run-columns'
import { useNames } from './use-names'

const Histogram = dynamic(() => import('./histogram').then((module) => module.Histogram), {
  ssr: false,
  loading: () => <Skeleton className="mb-3 h-40 w-full" />,
})
const CancelRuns = dynamic(() => import('./cancel-runs').then((module) => module.CancelRuns), { ssr: false })

type Props = {
  workspace: string
  deploymentId?: string
  views: readonly SavedView[]
  serverNow: number
  /** In place of the list if there is no run. */
  empty: ReactNode
}

const statusesOf = (rows: readonly RunRow[]) => rows.map(({ id, status }) => `${id} ${status}`).join()

/** Runs of a deployment, or of the whole workspace: our recordings and runs started elsewhere. Updates live. */
export function RunsList({ workspace, deploymentId, views, serverNow, empty }: Props) {
  useServerClock(serverNow)
  const list = useList(deploymentId ? runList : workspaceRunList, { workspace, views })
  const query = runRowsQueryOf(list.search, deploymentId)
  const options = runRowsQuery(workspace, query)
  const { problem, refetchInterval } = useLiveQuery({ kind: 'runs', workspace, query }, options.queryKey)
  const result = useQuery({ ...options, refetchInterval })
  const { data, isPlaceholderData } = result
  const rows = data?.rows ?? NONE
  const retry = useTryAgain(options.queryKey)
  const { names, assistants } = useNames(workspace, deploymentId, rows)
  const selectable = useMemo(
    () => rows.filter(isRowActive).map(({ id, run, deployment }) => ({ id, name: `run ${run ?? id}`, deployment })),
    [rows],
  )
  const selection = useSelection(selectable, list.filterText)
  const actions = useActions(workspace, selection.selected)
  const askAgain = () => void askServersAgain({ workspace }).then(retry, retry)
  return (
    <ListPage
      label="Runs"
      list={list}
      above={
        <>
          <QuickFilters list={list} />
          <FoldedCharts show="Show chart" hide="Hide chart">
            <Histogram workspace={workspace} query={query} statuses={statusesOf(rows)} onRange={list.set} />
          </FoldedCharts>
          {data?.looked ? (
            <UnreadServers looked={data.looked} nameOf={names.deployment} onRetry={askAgain} className="mb-3" />
          ) : null}
        </>
      }
      filters={filtersOf(deploymentId === undefined, assistants)}
      reading={{ result, queryKey: options.queryKey, liveProblem: problem }}
      // An empty page stays pending until the servers have responded.
      rows={rows.length === 0 && data?.looked?.isPending ? undefined : data?.rows}
      columns={runColumns({ names, serverNow, hasDeployment: !deploymentId })}
      rowKey={({ id }) => id}
      rowHref={(row) => routes.run(workspace, row)}
      pendingRows={10}
      selection={{ label: 'Selected runs', of: selection, selectable, actions }}
      isNarrowed={isFiltered(list.search) || Boolean(query.after) || Boolean(data?.next)}
      empty={
        data?.looked?.problems.length ? (
          <EmptyState title="No runs found">Not everything could be read: see above.</EmptyState>
        ) : (
          empty
        )
      }
      pager={
        <>
          {query.text && !query.since ? (
            <p className="mt-2 text-ink-3 text-xs">
              {`Outputs are searched in the ${query.until ? `${OUTPUT_HOURS} hours before the end time` : `last ${OUTPUT_HOURS} hours`}. Choose a start time to search older ones.`}
            </p>
          ) : null}
          {data?.looked ? (
            <CoverageNote
              looked={data.looked}
              isSearch={Boolean(query.text)}
              depth={Number(query.depth ?? DEPTHS[0])}
              onDepth={(depth) => list.set({ depth })}
            />
          ) : null}
          {data ? (
            <CursorPager
              trail={cursorTrail(list.search)}
              next={data.next ?? undefined}
              count={data.rows.length}
              size={pageSizeOf(list.search)}
              sizes={PAGE_SIZES}
              isLoading={isPlaceholderData}
              onMove={(after) => list.set({ after })}
              onSize={(limit) => list.set({ limit })}
            />
          ) : null}
        </>
      }
    />
  )
}

const NONE: never[] = []

function useActions(workspace: string, selected: readonly Selected[]): SelectionAction[] {
  const client = useQueryClient()
  const reason = useRunReason(selected.map(({ deployment }) => deployment))
  return [
    {
      label: 'Cancel…',
      icon: <CircleStop aria-hidden />,
      variant: 'danger',
      reason,
      max: MAX_RUNS,
      dialog: ({ selected, drop, onClose }) => (
        <CancelRuns
          workspace={workspace}
          runs={selected}
          onDone={(over) => {
            drop(over)
            void invalidate(client, agentServer.listRuns, workspace)
          }}
          onClose={onClose}
        />
      ),
    },
  ]
}
