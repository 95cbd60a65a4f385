'use client'

import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import Link from 'next/link'
import { useSearchParams } from 'next/navigation'
import { useMemo, useState } from 'react'
import { EmptyState } from '@/components/shared/feedback/empty-state'
import { ErrorNotice } from '@/components/shared/feedback/error-notice'
import { StaleNotice } from '@/components/shared/feedback/stale-notice'
import { useTryAgain } from '@/components/shared/feedback/use-try-again'
import { useReasons } from '@/components/shared/layout/rights'
import { DataTable } from '@/components/shared/list/data-table'
import { FilterChips } from '@/components/shared/list/filter-chips'
import { Pager } from '@/components/shared/list/pager'
import { SavedViews } from '@/components/shared/list/saved-views'
import { SearchBox } from '@/components/shared/list/search-box'
import { useListSearch } from '@/components/shared/list/use-list-search'
import type { ViewActions } from '@/components/shared/list/view-types'
import { Button } from '@/components/ui/button'
import { Select } from '@/components/ui/input'
import { deleteView, saveView, updateView } from '@/lib/actions/saved-views'
import { agentServer } from '@/lib/contracts/agent-server'
import type { SavedView } from '@/lib/lists/saved-views'
import { apiQuery } from '@/lib/queries/api-query'
import { assistantsQuery, defaultAssistantsQuery } from '@/lib/queries/assistants'
import { routes } from '@/lib/routes'
import { assistantColumns } from './assistant-columns'
import { assistantChips, assistantQueryOf, filtersFor, NO_FILTER, SORTS, viewQueryOf } from './list-query'

type Props = { workspace: string; deployment: string; views: readonly SavedView[] }

/** Assistants of a deployment: the default one of each graph, and those that people made. */
export function AssistantsList({ workspace, deployment, views: initialViews }: Props) {
  const search = useSearchParams()
  const [views, setViews] = useState(initialViews)
  const setSearch = useListSearch(views, viewQueryOf)
  const viewActions = useMemo(() => viewActionsOf(workspace), [workspace])
  const { body, filters, sort, isFiltered } = assistantQueryOf(search)
  const list = useQuery(assistantsQuery(workspace, deployment, body))
  // Servers that cannot count leave the total out.
  const total = useQuery({
    ...apiQuery(agentServer.countAssistants, { workspace, deployment, body: filters }),
    retry: false,
    placeholderData: keepPreviousData,
  })
  const whyNoRun = useReasons().run
  const columns = useMemo(() => assistantColumns(workspace, deployment, whyNoRun), [workspace, deployment, whyNoRun])
  const graphs = useGraphs(workspace, deployment, body.graph_id)
  const error = list.error ?? list.failureReason
  const retry = useTryAgain(assistantsQuery(workspace, deployment, body).queryKey)
  const rows = list.data
  const showAll = () => setSearch({ ...NO_FILTER, sort: '', view: '' })
  return (
    <>
      <div className="mb-3 flex flex-wrap items-center gap-2">
        <SearchBox label="Search by name" value={body.name ?? ''} onChange={(name) => setSearch({ name })} />
        <Select
          aria-label="Order"
          className="w-auto"
          value={sort}
          onChange={({ target }) => setSearch({ sort: target.value === SORTS[0].value ? '' : target.value })}
        >
          {SORTS.map(({ value, label }) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </Select>
        <SavedViews
          noun="assistants"
          actions={viewActions}
          views={views}
          current={views.find(({ id }) => id === search.get('view'))}
          query={viewQueryOf(search)}
          onViews={setViews}
          onOpen={(view) =>
            view
              ? setSearch({
                  ...NO_FILTER,
                  sort: '',
                  ...Object.fromEntries(new URLSearchParams(view.query)),
                  view: view.id,
                })
              : showAll()
          }
        />
        <FilterChips
          filters={filtersFor(graphs)}
          chips={assistantChips(search, graphs)}
          onSet={(name, value) => setSearch({ [name]: value })}
          onClear={() => setSearch({ ...NO_FILTER, name: body.name ?? '' })}
        />
        <span className="ml-auto">
          <NewAssistant href={routes.newAssistant(workspace, deployment, { graph: body.graph_id })} reason={whyNoRun} />
        </span>
      </div>
      {error && rows ? <StaleNotice {...error.view} at={list.dataUpdatedAt} onRetry={retry} /> : null}
      {error && !rows ? (
        <ErrorNotice error={error.view} onRetry={retry} />
      ) : (
        <DataTable
          label="Assistants"
          columns={columns}
          rows={rows}
          rowKey={(one) => one.assistant_id}
          rowHref={(one) => routes.assistant(workspace, deployment, one.assistant_id)}
          empty={
            isFiltered || body.offset > 0 ? (
              <EmptyState title="No assistant matches" action={<Button onClick={showAll}>Clear the filters</Button>}>
                None fits all the filters above. Names match anywhere in the text.
              </EmptyState>
            ) : (
              <EmptyState title="No assistants">
                This deployment’s server has no graphs, so there is nothing to run.
              </EmptyState>
            )
          }
        />
      )}
      {rows ? (
        <Pager
          offset={body.offset}
          size={body.limit}
          shown={rows.length}
          total={total.data}
          isLoading={list.isPlaceholderData}
          onMove={(offset) => setSearch({ offset })}
        />
      ) : null}
    </>
  )
}

const NewAssistant = ({
  href,
  reason,
}: {
  href: ReturnType<typeof routes.newAssistant>
  reason: string | undefined
}) =>
  reason ? (
    <Button reason={reason}>
      <Plus aria-hidden />
      New assistant
    </Button>
  ) : (
    <Button asChild>
      <Link href={href}>
        <Plus aria-hidden />
        New assistant
      </Link>
    </Button>
  )

const viewActionsOf = (workspace: string): ViewActions => {
  const place = { workspace, page: 'assistants' } as const
  return {
    save: (view) => saveView({ ...place, ...view }),
    update: (view) => updateView({ ...place, ...view }),
    remove: (view) => deleteView({ ...place, ...view }),
  }
}

/** The names of all graphs: each has a default assistant. */
function useGraphs(workspace: string, deployment: string, chosen: string | undefined): string[] {
  const list = useQuery(defaultAssistantsQuery(workspace, deployment))
  return [...new Set([...(list.data ?? []).map((one) => one.graph_id), ...(chosen ? [chosen] : [])])]
}
