'use client'
import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query'
import Link from 'next/link'
import { EmptyState } from '@/components/shared/feedback/empty-state'
import { useTryAgain } from '@/components/shared/feedback/error-notice'
import { ServerProblems } from '@/components/shared/feedback/server-problems'
import { type FilterDefinition, filterValue } from '@/components/shared/list/filters'
import type { ListDefinition } from '@/components/shared/list/list-definition'
import { ListPage } from '@/components/shared/list/list-page'
import { Pager } from '@/components/shared/list/pager'
import { useList } from '@/components/shared/list/use-list'
import { Button } from '@/components/ui/button'
import { Spinner } from '@/components/ui/loading'
import { askServersAgain } from '@/lib/actions/deployments'
import { agentServer } from '@/lib/contracts/agent-server'
import { buildQuery } from '@/lib/contracts/wire/api'
import { count } from '@/lib/format/format'
import { operationKey } from '@/lib/queries/api-query'
import { deploymentsQuery } from '@/lib/queries/deployments'
import { consoleFetch, type RelayError } from '@/lib/queries/relay-fetch'
import { routes } from '@/lib/routes'
import {
  MAX_LISTED,
  SEARCH_DEPTHS,
  type THREAD_ORDERS,
  type WorkspaceThread,
  type WorkspaceThreads,
} from '@/lib/stream/thread-rows'
import { FILTERS } from './list-query'
import { workspaceColumns } from './thread-columns'
import { useDays } from './use-days'

const PAGE = 50
/** How often the list is read again, while servers fail, and while some have not answered. */
const EVERY_MS = 15_000
const FAILING_MS = 5_000
const PENDING_MS = 1_500

const list: ListDefinition = {
  noun: 'threads',
  search: { name: 'q', label: 'Search in titles and messages', className: 'sm:w-80' },
  sorts: [
    { value: 'updated', label: 'Last changed first' },
    { value: 'deployment', label: 'By deployment' },
  ] satisfies { value: (typeof THREAD_ORDERS)[number]; label: string }[],
  noFilter: { q: '', status: '', deployment: '' },
}

const threadsAcross = (workspace: string, query: Record<string, string | number>) =>
  queryOptions<WorkspaceThreads, RelayError>({
    // It begins like every search for threads, so that what changes a thread refreshes it.
    queryKey: [...operationKey(agentServer.searchThreads, workspace), 'across', query],
    queryFn: async ({ signal }) =>
      // From our own server; `consoleFetch` is untyped.
      (await consoleFetch(`/api/threads/${encodeURIComponent(workspace)}?${buildQuery(query)}`, {
        signal,
      })) as WorkspaceThreads,
    placeholderData: keepPreviousData,
    refetchInterval: ({ state: { data } }) =>
      data?.pending.length ? PENDING_MS : data?.problems.length ? FAILING_MS : EVERY_MS,
  })

/** The threads of all deployments of a workspace: those that need input first, then by day; or deployment by deployment. */
export function AllThreads({ workspace }: { workspace: string }) {
  const state = useList(list)
  const { search } = state
  const deployments = useQuery(deploymentsQuery(workspace, { limit: 100 })).data?.resources ?? []
  const filters: FilterDefinition[] = [
    ...FILTERS.filter(({ name }) => name === 'status'),
    {
      name: 'deployment',
      label: 'Deployment',
      choices: deployments.map(({ id, name }) => ({ value: id, label: name })),
      isOpen: true,
    },
  ]
  const offset = Math.min(Number(/^\d{1,5}$/.exec(search.get('offset') ?? '')?.[0] ?? 0), MAX_LISTED)
  const chosen = filters.flatMap((filter) => {
    const value = filterValue(filter, search)
    return value === undefined ? [] : [[filter.name, value]]
  })
  const q = search.get('q')?.trim().slice(0, 300)
  const depth = SEARCH_DEPTHS.find((one) => String(one) === search.get('depth')) ?? SEARCH_DEPTHS[0]
  const isByDeployment = search.get('sort') === 'deployment'
  const options = threadsAcross(workspace, {
    ...Object.fromEntries(chosen),
    ...(isByDeployment && { sort: 'deployment' }),
    ...(q && { q, depth }),
    ...{ offset, limit: PAGE },
  })
  const result = useQuery(options)
  const dayOfRow = useDays(result.dataUpdatedAt)
  const { data, isPlaceholderData } = result
  const retry = useTryAgain(options.queryKey)
  return (
    <ListPage
      label="Threads"
      list={state}
      filters={filters}
      above={
        data?.problems.length ? (
          <div className="mb-3 text-xs">
            <ServerProblems
              noun="threads"
              problems={data.problems}
              onRetry={() => void askServersAgain({ workspace }).then(retry, retry)}
            />
          </div>
        ) : null
      }
      reading={{ result, queryKey: options.queryKey }}
      // An empty page stays pending until every server has answered.
      rows={data?.rows.length === 0 && data.pending.length > 0 ? undefined : data?.rows}
      columns={workspaceColumns}
      headingOf={isByDeployment ? deploymentOfRow : dayOfRow}
      rowKey={({ deployment, id }) => `${deployment} ${id}`}
      rowHref={({ deployment, id }) => routes.thread(workspace, deployment, id)}
      pendingRows={10}
      isNarrowed={Boolean(q) || chosen.length > 0}
      isBeyond={offset > 0}
      empty={
        data?.problems.length ? (
          <EmptyState title="No threads found">Not every server answered: see above.</EmptyState>
        ) : (
          <EmptyState
            title="No threads yet"
            action={
              <Button asChild>
                <Link href={routes.deployments(workspace)}>Choose a deployment</Link>
              </Button>
            }
          >
            Start a chat in a deployment.
          </EmptyState>
        )
      }
      pager={
        data ? (
          <>
            <Coverage of={data} depth={q ? depth : undefined} onDepth={(to) => state.set({ depth: to })} />
            <Pager
              offset={offset}
              size={PAGE}
              shown={data.rows.length}
              total={data.hasNext ? undefined : offset + data.rows.length}
              isLoading={isPlaceholderData}
              onMove={(to) => state.set({ offset: to })}
            />
          </>
        ) : null
      }
    />
  )
}

const deploymentOfRow = ({ deploymentName }: WorkspaceThread) => deploymentName

type CoverageProps = {
  of: WorkspaceThreads
  /** Of how many threads of each deployment the messages were searched; undefined without a search. */
  depth: number | undefined
  onDepth: (depth: string) => void
}

/** What the list covers, and which servers have not answered yet. */
export function Coverage({ of: read, depth, onDepth }: CoverageProps) {
  const { threads, deployments, isCut, hasNext, pending, untitled, problems } = read
  const of = `${count(threads)} ${threads === 1 ? 'thread' : 'threads'} of ${count(deployments)} ${deployments === 1 ? 'deployment' : 'deployments'}`
  const covered = depth ? `Searched the messages of ${of}` : `Read ${of}`
  const more = depth ? SEARCH_DEPTHS.find((one) => one > depth) : undefined
  const rest = depth
    ? `, the newest ${count(depth)} of each. There are more.`
    : `, the newest of each. ${hasNext ? 'The next pages read more.' : 'Older ones are in the list of each deployment.'}`
  const isNothingRead = deployments === 0 && problems.length > 0
  return (
    <div className="mt-2 space-y-2 text-ink-3 text-xs">
      <p>
        {isNothingRead ? '' : `${covered}${isCut ? rest : '.'}`}
        {untitled.length > 0
          ? ` ${untitled.join(', ')} ${untitled.length === 1 ? 'returns' : 'return'} no messages in lists: titles and search use metadata only.`
          : ''}{' '}
        {isCut && more ? (
          <button type="button" className="text-accent underline" onClick={() => onDepth(String(more))}>
            Search {more} of each
          </button>
        ) : null}
      </p>
      {pending.length > 0 ? (
        <p role="status" className="flex items-center gap-1.5">
          <Spinner />
          Waiting for {pending.length > 3 ? `${count(pending.length)} servers` : pending.join(', ')}…
        </p>
      ) : null}
    </div>
  )
}
