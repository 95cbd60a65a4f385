'use client'

import { useQuery } from '@tanstack/react-query'
import { useSearchParams } from 'next/navigation'
import { useMemo } from 'react'
import { DataTable } from '@/components/shared/data-table'
import { EmptyState } from '@/components/shared/empty-state'
import { ErrorNotice } from '@/components/shared/error-notice'
import { Pager } from '@/components/shared/pager'
import { SearchBox } from '@/components/shared/search-box'
import { StaleNotice } from '@/components/shared/stale-notice'
import { useSetSearch } from '@/components/shared/use-set-search'
import { Button } from '@/components/ui/button'
import { Select } from '@/components/ui/input'
import { assistantsQuery } from '@/lib/queries/assistants'
import { assistantColumns } from './assistant-columns'
import { assistantSearchOf, PAGE_SIZE } from './assistant-filter'

/** Assistants of a deployment: the default one of each graph, and those that people made. */
export function AssistantsList({ workspace, deployment }: { workspace: string; deployment: string }) {
  const search = useSearchParams()
  const setSearch = useSetSearch()
  const query = assistantSearchOf(search)
  const list = useQuery(assistantsQuery(workspace, deployment, query))
  const columns = useMemo(() => assistantColumns(workspace, deployment), [workspace, deployment])
  const graphs = useGraphs(workspace, deployment, query.graph_id)
  const isFiltered = !!(query.name || query.graph_id)
  const rows = list.data
  return (
    <>
      <div className="mb-3 flex flex-wrap items-center gap-2">
        <SearchBox label="Search by name" value={query.name ?? ''} onChange={(name) => setSearch({ name })} />
        <Select
          aria-label="Graph"
          className="w-auto max-w-60"
          value={query.graph_id ?? ''}
          onChange={(event) => setSearch({ graph: event.target.value })}
        >
          <option value="">Any graph</option>
          {graphs.map((graph) => (
            <option key={graph}>{graph}</option>
          ))}
        </Select>
      </div>
      {list.error && rows ? (
        <StaleNotice {...list.error.view} at={list.dataUpdatedAt} onRetry={() => void list.refetch()} />
      ) : null}
      {list.error && !rows ? (
        <ErrorNotice error={list.error.view} onRetry={() => void list.refetch()} />
      ) : (
        <DataTable
          label="Assistants"
          columns={columns}
          rows={rows}
          rowKey={(one) => one.assistant_id}
          empty={
            isFiltered || query.offset > 0 ? (
              <EmptyState
                title="No assistant matches"
                action={<Button onClick={() => setSearch({ name: '', graph: '' })}>Clear the filters</Button>}
              >
                Nothing here has that name and graph.
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
          offset={query.offset}
          size={PAGE_SIZE}
          shown={rows.length}
          isLoading={list.isPlaceholderData}
          onMove={(offset) => setSearch({ offset })}
        />
      ) : null}
    </>
  )
}

/** The names of all graphs: each has a default assistant. */
function useGraphs(workspace: string, deployment: string, chosen: string | undefined): string[] {
  const list = useQuery(
    assistantsQuery(workspace, deployment, {
      metadata: { created_by: 'system' },
      limit: 200,
      sort_by: 'graph_id',
      sort_order: 'asc',
    }),
  )
  return [...new Set([...(list.data ?? []).map((one) => one.graph_id), ...(chosen ? [chosen] : [])])]
}
