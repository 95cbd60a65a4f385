'use client'

import { useQueries, useQuery } from '@tanstack/react-query'
import Link from 'next/link'
import { useSearchParams } from 'next/navigation'
import { useMemo, useState } from 'react'
import { EmptyState } from '@/components/shared/feedback/empty-state'
import { ErrorNotice } from '@/components/shared/feedback/error-notice'
import { StaleNotice } from '@/components/shared/feedback/stale-notice'
import { useTryAgain } from '@/components/shared/feedback/use-try-again'
import { DataTable } from '@/components/shared/list/data-table'
import { FilterChips } from '@/components/shared/list/filter-chips'
import { SavedViews } from '@/components/shared/list/saved-views'
import { SearchBox } from '@/components/shared/list/search-box'
import { useListSearch } from '@/components/shared/list/use-list-search'
import { useRowKeys } from '@/components/shared/list/use-row-keys'
import { useSelection } from '@/components/shared/list/use-selection'
import type { ViewActions } from '@/components/shared/list/view-types'
import { Button } from '@/components/ui/button'
import { deleteView, saveView, updateView } from '@/lib/actions/saved-views'
import { DEPTHS, isRowActive, type RunRow } from '@/lib/contracts/agents/run-row'
import { shortId } from '@/lib/format/format'
import type { SavedView } from '@/lib/lists/saved-views'
import { findAssistant, pickableAssistants } from '@/lib/queries/assistants'
import { deploymentsQuery } from '@/lib/queries/deployments'
import { runRowsQuery } from '@/lib/queries/runs'
import { routes } from '@/lib/routes'
import { CoverageNote } from './coverage-note'
import { filtersOf, isFiltered, NO_FILTER, runChips, runRowsQueryOf, viewQueryOf } from './list-query'
import { type Names, runColumns } from './run-columns'
import { RunsBar } from './runs-bar'
import { useLiveRuns } from './use-live-runs'

/** Names are asked of so many deployments at most. */
const MOST_SERVERS = 10

type Props = { workspace: string; deployment?: string; views: readonly SavedView[]; serverNow: number }

/** Runs of a deployment, or of the whole workspace: recordings, and what others started. It moves by itself. */
export function RunsList({ workspace, deployment, views: initialViews, serverNow }: Props) {
  const search = useSearchParams()
  const query = runRowsQueryOf(search, deployment)
  const { problem, refetchInterval } = useLiveRuns(workspace, query)
  const list = useQuery({ ...runRowsQuery(workspace, query), refetchInterval })
  const { data, dataUpdatedAt, isPlaceholderData } = list
  const error = list.error ?? list.failureReason
  const message = error?.view.message ?? problem
  const retry = useTryAgain(runRowsQuery(workspace, query).queryKey)

  const [views, setViews] = useState(initialViews)
  const viewActions = useMemo(() => viewActionsOf(workspace, deployment), [workspace, deployment])
  const kept = viewQueryOf(search)
  const setSearch = useListSearch(views, viewQueryOf)
  const showAll = () => setSearch({ ...NO_FILTER, depth: '', view: '' })

  const rows = data?.rows ?? NONE
  const { names, assistants } = useNames(workspace, deployment, rows)
  const filters = filtersOf(deployment === undefined, assistants)
  const selectable = useMemo(() => rows.filter(isRowActive).map(({ id, run }) => ({ id, name: run ?? id })), [rows])
  const selection = useSelection(selectable, kept)
  const columns = runColumns({ names, serverNow, hasDeployment: !deployment, selectable, selection })
  useRowKeys({ onSelect: (id) => selection.toggle(id, false) })
  return (
    <>
      <div className="mb-3 flex flex-wrap items-start gap-2">
        <SearchBox
          label="Search by id, assistant or request"
          className="w-full sm:w-80"
          value={search.get('q') ?? ''}
          onChange={(q) => setSearch({ q })}
        />
        <SavedViews
          noun="runs"
          actions={viewActions}
          views={views}
          current={views.find(({ id }) => id === search.get('view'))}
          query={kept}
          onViews={setViews}
          onOpen={(view) =>
            view ? setSearch({ ...NO_FILTER, depth: '', ...paramsOf(view.query), view: view.id }) : showAll()
          }
        />
        <FilterChips
          filters={filters}
          chips={runChips(filters, search)}
          onSet={(name, value) => setSearch({ [name]: value })}
          onClear={() => setSearch({ ...NO_FILTER, q: search.get('q') ?? '' })}
        />
      </div>
      {message && data ? <StaleNotice message={message} code={error?.code} at={dataUpdatedAt} onRetry={retry} /> : null}
      {error && !data ? (
        <ErrorNotice error={error.view} onRetry={retry} />
      ) : (
        <DataTable
          label="Runs"
          columns={columns}
          // Nothing is there for certain only when the servers have answered.
          rows={rows.length === 0 && data?.looked?.isPending ? undefined : data?.rows}
          rowKey={(row) => row.id}
          rowHref={(row) => hrefOf(workspace, row)}
          isMarked={(row) => selection.has(row.id)}
          pendingRows={10}
          empty={
            isFiltered(search) || query.after ? (
              <EmptyState title="No run matches" action={<Button onClick={showAll}>Show all runs</Button>}>
                None of the recordings, and of what was looked through elsewhere, fits all of the above.
              </EmptyState>
            ) : (
              <EmptyState
                title="No runs yet"
                action={
                  deployment ? undefined : (
                    <Button asChild>
                      <Link href={routes.deployments(workspace)}>Choose a deployment</Link>
                    </Button>
                  )
                }
              >
                Runs that are started here are recorded whole: they can be followed live, and looked at again later.
                {deployment ? ' Start one with the button above.' : ''}
              </EmptyState>
            )
          }
        />
      )}
      <RunsBar workspace={workspace} selection={selection} onPage={(id) => rows.some((row) => row.id === id)} />
      {data?.looked ? (
        <CoverageNote
          looked={data.looked}
          depth={Number(query.depth ?? DEPTHS[0])}
          nameOf={names.deployment}
          onDepth={(depth) => setSearch({ depth })}
        />
      ) : null}
      {query.after || data?.next ? (
        <nav aria-label="Pages" className="mt-3 flex justify-end gap-2">
          <Button size="sm" disabled={!query.after || isPlaceholderData} onClick={() => setSearch({ after: '' })}>
            Newest
          </Button>
          <Button
            size="sm"
            disabled={!data?.next || isPlaceholderData}
            onClick={() => setSearch({ after: data?.next ?? '' })}
          >
            Older
          </Button>
        </nav>
      ) : null}
    </>
  )
}

const NONE: never[] = []
const paramsOf = (query: string) => Object.fromEntries(new URLSearchParams(query))

/** A run that nobody records is recorded from the moment that it is opened. */
const hrefOf = (workspace: string, { recording, deployment, thread, run }: RunRow) =>
  recording || !thread || !run
    ? routes.recording(workspace, deployment, recording ?? '')
    : routes.joinRun(workspace, deployment, thread, run)

const viewActionsOf = (workspace: string, deployment: string | undefined): ViewActions => {
  const place = { workspace, page: deployment ? 'runs' : 'all-runs' } as const
  return {
    save: (view) => saveView({ ...place, ...view }),
    update: (view) => updateView({ ...place, ...view }),
    remove: (view) => deleteView({ ...place, ...view }),
  }
}

function useNames(workspace: string, deployment: string | undefined, rows: readonly RunRow[]) {
  const deployments = useQuery({ ...deploymentsQuery(workspace, { limit: 100 }), enabled: !deployment })
  const servers = [...new Set([...(deployment ? [deployment] : []), ...rows.map((row) => row.deployment)])].slice(
    0,
    MOST_SERVERS,
  )
  const assistants = useQueries({ queries: servers.map((server) => pickableAssistants(workspace, server)) })
  const names: Names = {
    assistant: (row) => {
      const found = findAssistant(assistants[servers.indexOf(row.deployment)]?.data, row.assistant)
      return found?.name || found?.graph_id || row.assistant || '–'
    },
    deployment: (id) => deployments.data?.resources.find((one) => one.id === id)?.name ?? shortId(id),
  }
  return { names, assistants: deployment ? assistants[0]?.data : undefined }
}
