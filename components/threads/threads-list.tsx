'use client'

import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useSearchParams } from 'next/navigation'
import { type Column, DataTable } from '@/components/shared/data-table'
import { EmptyState } from '@/components/shared/empty-state'
import { ErrorNotice } from '@/components/shared/error-notice'
import { Pager } from '@/components/shared/pager'
import { RelativeTime } from '@/components/shared/relative-time'
import { SearchBox } from '@/components/shared/search-box'
import { StaleNotice } from '@/components/shared/stale-notice'
import { useSetSearch } from '@/components/shared/use-set-search'
import { VisibleText } from '@/components/shared/visible-text'
import { Button } from '@/components/ui/button'
import { Select } from '@/components/ui/input'
import { agentServer } from '@/lib/contracts/agent-server'
import type { Thread } from '@/lib/contracts/threads'
import { apiQuery } from '@/lib/queries/api-query'
import { threadsQuery } from '@/lib/queries/threads'
import { routes } from '@/lib/routes'
import { PAGE_SIZE, threadQueryOf } from './thread-filter'
import { ThreadStatus } from './thread-status'

/** Threads of a deployment, newest change first; searched on the server, values never asked for. */
export function ThreadsList({ workspace, deployment }: { workspace: string; deployment: string }) {
  const search = useSearchParams()
  const setSearch = useSetSearch()
  const { body, filters, isCounted, problem } = threadQueryOf(search)
  const list = useQuery({ ...threadsQuery(workspace, deployment, body), enabled: !problem })
  // Servers that cannot count leave the total out.
  const total = useQuery({
    ...apiQuery(agentServer.countThreads, { workspace, deployment, body: filters }),
    enabled: !problem && isCounted,
    retry: false,
    placeholderData: keepPreviousData,
  })
  const isFiltered = search.has('q') || search.has('status')
  const rows = list.data
  return (
    <>
      <div className="mb-3 flex flex-wrap items-start gap-2">
        <div className="w-full sm:w-96">
          <SearchBox
            label="Search by id or metadata"
            className="sm:w-full"
            value={search.get('q') ?? ''}
            isInvalid={!!problem}
            onChange={(q) => setSearch({ q })}
          />
          {problem ? (
            <p role="alert" className="mt-1 text-error text-xs">
              {problem}
            </p>
          ) : null}
        </div>
        <Select
          aria-label="Status"
          className="w-auto"
          value={body.status ?? ''}
          onChange={(event) => setSearch({ status: event.target.value })}
        >
          <option value="">Any status</option>
          <option value="idle">Idle</option>
          <option value="busy">Busy</option>
          <option value="interrupted">Waiting for a person</option>
          <option value="error">Failed</option>
        </Select>
      </div>
      {list.error && rows ? (
        <StaleNotice {...list.error.view} at={list.dataUpdatedAt} onRetry={() => void list.refetch()} />
      ) : null}
      {list.error && !rows ? (
        <ErrorNotice error={list.error.view} onRetry={() => void list.refetch()} />
      ) : (
        <DataTable
          label="Threads"
          columns={COLUMNS}
          rows={problem ? [] : rows}
          rowKey={(one) => one.thread_id}
          rowHref={(one) => routes.thread(workspace, deployment, one.thread_id)}
          empty={
            isFiltered || body.offset > 0 ? (
              <EmptyState
                title="No thread matches"
                action={<Button onClick={() => setSearch({ q: '', status: '' })}>Clear the filters</Button>}
              >
                Nothing here has that id, metadata and status.
              </EmptyState>
            ) : (
              <EmptyState title="No threads yet">
                A run makes one, unless it is stateless: start a run with the button above.
              </EmptyState>
            )
          }
        />
      )}
      {rows && !problem ? (
        <Pager
          offset={body.offset}
          size={PAGE_SIZE}
          shown={rows.length}
          total={isCounted ? total.data : undefined}
          isLoading={list.isPlaceholderData}
          onMove={(offset) => setSearch({ offset })}
        />
      ) : null}
    </>
  )
}

const COLUMNS: Column<Thread>[] = [
  {
    id: 'id',
    header: 'Thread',
    cell: (one) => (
      <code className="font-mono text-xs" title={one.thread_id}>
        {one.thread_id}
      </code>
    ),
  },
  { id: 'status', header: 'Status', cell: (one) => <ThreadStatus status={one.status} /> },
  {
    id: 'graph',
    header: 'Graph',
    from: 'md',
    cell: (one) => (
      <code className="font-mono text-ink-2 text-xs">
        {typeof one.metadata.graph_id === 'string' ? one.metadata.graph_id : '–'}
      </code>
    ),
  },
  {
    id: 'metadata',
    header: 'Metadata',
    from: 'lg',
    cell: (one) => {
      const text = metadataText(one.metadata)
      return (
        <span className="text-ink-3 text-xs" title={text}>
          <VisibleText>{text.slice(0, 120)}</VisibleText>
        </span>
      )
    },
  },
  {
    id: 'created',
    header: 'Created',
    from: 'lg',
    className: 'w-32 text-ink-2',
    cell: (one) => <RelativeTime at={one.created_at} />,
  },
  {
    id: 'updated',
    header: 'Updated',
    from: 'sm',
    className: 'w-32 text-ink-2',
    cell: (one) => <RelativeTime at={one.updated_at} />,
  },
]

const ELSEWHERE = new Set(['graph_id', 'assistant_id'])

/** What people put on a thread, in a line; what the server puts there has its own column. */
const metadataText = (metadata: Thread['metadata']): string =>
  Object.entries(metadata)
    .filter(([key]) => !ELSEWHERE.has(key))
    .map(([key, value]) => `${key}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ')
