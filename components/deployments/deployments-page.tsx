'use client'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Star, Trash2 } from 'lucide-react'
import dynamic from 'next/dynamic'
import { useEffect, useMemo } from 'react'
import { STALE_STYLE, staleOf } from '@/components/shared/feedback/stale-notice'
import { useFavourites } from '@/components/shared/layout/favourites'
import { PageHeader } from '@/components/shared/layout/page-header'
import { useAdministerReason } from '@/components/shared/layout/rights'
import { useLiveQuery } from '@/components/shared/layout/use-live-query'
import { useSetSearch } from '@/components/shared/layout/use-set-search'
import { ListPage } from '@/components/shared/list/list-page'
import { ListPager } from '@/components/shared/list/list-pager'
import type { SelectionAction } from '@/components/shared/list/selection-bar'
import { useList } from '@/components/shared/list/use-list'
import { type Selection, useSelection } from '@/components/shared/list/use-selection'
import { Button } from '@/components/ui/button'
import { controlPlane } from '@/lib/contracts/control-plane'
import type { DeploymentRow } from '@/lib/contracts/deployments/deployment-row'
import { MAX_BULK } from '@/lib/contracts/wire/bulk'
import { SLACK } from '@/lib/lists/anchored-page'
import type { SavedView } from '@/lib/lists/saved'
import { invalidate } from '@/lib/queries/api-query'
import { activityQuery, deploymentRowsQuery } from '@/lib/queries/deployments'
import { routes } from '@/lib/routes'
import type { ListedRow } from './activity/cells'
import { AddDeployment, NoDeployments } from './add-deployment'
import { deploymentColumns } from './columns'
import { ExportButton } from './export-button'
import { HealthPending, HealthStrip } from './health-strip'
import { deploymentList, FILTERS, isFavouritesOnly, isFiltered, listQueryOf, PAGE_SIZES } from './list-query'

const PeekPanel = dynamic(() => import('./peek-panel').then((module) => module.PeekPanel), { ssr: false })
const BulkDelete = dynamic(() => import('./bulk-delete').then((module) => module.BulkDelete), { ssr: false })

type Props = { workspace: string; views: readonly SavedView[] }

export function DeploymentsPage({ workspace, views }: Props) {
  const list = useList(deploymentList, { workspace, views })
  const query = listQueryOf(list.search, useFavourites().ids)
  const options = deploymentRowsQuery(workspace, query)
  const { problem, refetchInterval } = useLiveQuery(
    { kind: 'deployments', workspace, query: query as Record<string, string | number | boolean> },
    options.queryKey,
  )
  const result = useQuery({ ...options, refetchInterval })
  const { data, isPlaceholderData } = result
  const setSearch = useSetSearch()
  const setLocal = useSetSearch({ isLocal: true })
  const rows = data?.rows ?? NONE
  const listed = useListed(workspace, data?.rows)
  const selection = useSelection(rows, list.filterText)
  const actions = useActions(workspace, selection)
  const peeked = usePeeked(workspace, rows, list.search.get('peek'))
  const peek = (id: string) => setLocal({ peek: id })
  useKeptInSight(query, isPlaceholderData ? undefined : data?.offset, setSearch)

  return (
    <ListPage
      label="Deployments"
      list={list}
      header={
        <PageHeader
          title="Deployments"
          actions={<Verbs workspace={workspace} filterText={list.filterText} ids={query.deployment_ids} />}
        />
      }
      filters={FILTERS}
      tools={
        <Button
          aria-pressed={isFavouritesOnly(list.search)}
          className="aria-pressed:border-accent aria-pressed:bg-accent-soft"
          onClick={() => list.set({ favourites: isFavouritesOnly(list.search) ? '' : '1', offset: '' })}
        >
          <Star aria-hidden />
          Favourites
        </Button>
      }
      above={
        data?.health ? (
          <HealthStrip
            health={data.health}
            chosen={list.search.get('health')}
            onChoose={(health) => list.set({ health, offset: '' })}
            className={staleOf(result, problem) && STALE_STYLE}
          />
        ) : result.isError || problem ? null : (
          <HealthPending />
        )
      }
      reading={{ result, queryKey: options.queryKey, liveProblem: problem }}
      rows={listed}
      columns={deploymentColumns}
      rowKey={({ id }) => id}
      rowHref={({ id }) => routes.deployment(workspace, id)}
      openKey={peeked?.id}
      rowKeys={{
        onPeek: (id) => peek(id === peeked?.id ? '' : id),
        onFocus: (id) => {
          if (peeked && peeked.id !== id) peek(id)
        },
        onEscape: () => {
          if (peeked) peek('')
          return peeked !== undefined
        },
      }}
      pendingRows={10}
      sorting={{
        by: data?.sort,
        onSort: (sort) => list.set({ sort: sort === data?.sort ? 'created' : sort, offset: '' }),
      }}
      selection={{ label: 'Selected deployments', of: selection, selectable: rows, actions }}
      isNarrowed={isFiltered(list.search)}
      isBeyond={query.offset > 0}
      isLost={data?.isLost}
      empty={<NoDeployments />}
      pager={
        data ? (
          <ListPager
            page={data}
            size={query.limit}
            sizes={PAGE_SIZES}
            isLoading={isPlaceholderData}
            onMove={list.set}
            onSize={(limit) => list.set({ limit })}
          />
        ) : null
      }
    >
      {peeked ? <PeekPanel workspace={workspace} row={peeked} onClose={() => peek('')} /> : null}
    </ListPage>
  )
}

const NONE: never[] = []

/** The rows with their activity, which arrives after them. */
function useListed(workspace: string, rows: readonly DeploymentRow[] | undefined): ListedRow[] | undefined {
  // Sorted, so that rows that change places are not asked for again.
  const { data, error, isPlaceholderData } = useQuery(activityQuery(workspace, (rows ?? []).map(({ id }) => id).sort()))
  const isRead = error !== null || (data !== undefined && !isPlaceholderData)
  // Figures that could not be read again would have no age beside them.
  const known = error ? undefined : data
  return useMemo(
    () => rows?.map((row) => ({ ...row, activity: known?.[row.id] ?? (isRead ? null : undefined) })),
    [rows, known, isRead],
  )
}

/** The row that the URL names, also if it is on another page of the list. */
function usePeeked(workspace: string, rows: readonly DeploymentRow[], id: string | null): DeploymentRow | undefined {
  const listed = rows.find((row) => row.id === id)
  const elsewhere = { deployment_ids: id ?? '', limit: 1, offset: 0 }
  const { data } = useQuery({
    ...deploymentRowsQuery(workspace, elsewhere),
    enabled: id !== null && id !== '' && !listed,
    placeholderData: undefined,
  })
  return listed ?? data?.rows.find((row) => row.id === id)
}

function useActions(workspace: string, { selected }: Selection): SelectionAction[] {
  const client = useQueryClient()
  const reason = useAdministerReason(selected.map(({ id }) => id))
  return [
    {
      label: 'Delete…',
      icon: <Trash2 aria-hidden />,
      variant: 'danger',
      reason,
      max: MAX_BULK,
      dialog: ({ selected: chosen, drop, onClose }) => (
        <BulkDelete
          workspace={workspace}
          selected={chosen}
          onDone={(deleted) => {
            drop(deleted)
            void invalidate(client, controlPlane.listDeployments, workspace)
          }}
          onClose={onClose}
        />
      ),
    },
  ]
}

type VerbsProps = { workspace: string; filterText: string; ids: string | readonly string[] | undefined }

function Verbs({ workspace, filterText, ids }: VerbsProps) {
  const { limit: _, favourites: __, ...filters } = Object.fromEntries(new URLSearchParams(filterText))
  return (
    <>
      <ExportButton workspace={workspace} query={{ ...filters, ...(ids && { deployment_ids: String(ids) }) }} />
      <AddDeployment workspace={workspace} />
    </>
  )
}

/** Updates a page's offset in the URL before rows added or removed above push its own rows out of the fetched window. */
function useKeptInSight(
  { offset, after, before }: ReturnType<typeof listQueryOf>,
  now: number | undefined,
  set: (change: Record<string, string>) => void,
) {
  const isFar = now !== undefined && Boolean(after ?? before) && Math.abs(now - offset) >= SLACK / 2
  useEffect(() => {
    if (isFar) set({ offset: String(now), after: after ?? '', before: before ?? '' })
  }, [isFar, now, after, before, set])
}
