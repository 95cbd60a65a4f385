'use client'

import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query'
import { CircleStop, Plus, Trash2 } from 'lucide-react'
import dynamic from 'next/dynamic'
import { useMemo, useState } from 'react'
import { EmptyState } from '@/components/shared/feedback/empty-state'
import { useReasons } from '@/components/shared/layout/rights'
import { ListPage } from '@/components/shared/list/list-page'
import { ListPager } from '@/components/shared/list/list-pager'
import type { SelectionAction } from '@/components/shared/list/selection-bar'
import { useList } from '@/components/shared/list/use-list'
import { useSelection } from '@/components/shared/list/use-selection'
import { Button } from '@/components/ui/button'
import { agentServer } from '@/lib/contracts/agent-server'
import { MAX_THREADS } from '@/lib/contracts/agents/thread-edit'
import type { DeploymentPlace } from '@/lib/contracts/wire/places'
import { pageOf } from '@/lib/lists/anchored-page'
import type { SavedView } from '@/lib/lists/saved'
import { apiQuery, invalidate } from '@/lib/queries/api-query'
import { threadsQuery } from '@/lib/queries/threads'
import { routes } from '@/lib/routes'
import type { BulkVerb } from './bulk-dialog'
import { FILTERS, PAGE_SIZES, pressingOf, threadList, threadQueryOf } from './list-query'
import { type ListedThread, rowOf, threadColumns } from './thread-columns'
import { useDays } from './use-days'

const CreateThread = dynamic(() => import('./create-thread').then((module) => module.CreateThread), { ssr: false })
const BulkDialog = dynamic(() => import('./bulk-dialog').then((module) => module.BulkDialog), { ssr: false })

/** How often an open list is read, or it would not notice what has changed, nor that its server is away. */
const LOOK_MS = 15_000

type Props = { workspace: string; deploymentId: string; views: readonly SavedView[] }

/** Threads of a deployment, searched on the server and without their values. */
export function ThreadsList({ workspace, deploymentId, views }: Props) {
  const list = useList(threadList, { workspace, views })
  const asked = threadQueryOf(list.search)
  const { body, filters, page: wanted, isCounted, isFiltered, isByDay, problem } = asked
  const options = threadsQuery(workspace, deploymentId, body)
  const rich = useQuery({ ...options, enabled: !problem, refetchInterval: LOOK_MS })
  // Some servers reject a search that extracts messages.
  const isPlain = rich.error?.code === 'invalid'
  const plainOptions = threadsQuery(workspace, deploymentId, { ...body, extract: undefined })
  const plain = useQuery({ ...plainOptions, enabled: isPlain && !problem, refetchInterval: LOOK_MS })
  const result = isPlain ? plain : rich
  // Without a total if the server cannot count.
  const total = useQuery({
    ...apiQuery(agentServer.countThreads, { workspace, deploymentId, body: filters }),
    enabled: !problem && isCounted,
    retry: false,
    placeholderData: keepPreviousData,
  })
  const [{ data }, wantedText] = [result, JSON.stringify(wanted)]
  // biome-ignore lint/correctness/useExhaustiveDependencies: `wantedText` stands for `wanted`
  const page = useMemo(() => data && pageOf(wanted, { from: body.offset, rows: data.map(rowOf) }), [data, wantedText])
  const dayOfRow = useDays(result.dataUpdatedAt)
  // Threads that need input come first, also those of later pages.
  const pressing = pressingOf(asked)
  const hasPressing = pressing !== undefined
  const waiting = useQuery({
    ...threadsQuery(workspace, deploymentId, {
      ...(pressing ?? body),
      ...(isPlain && { extract: undefined }),
    }),
    enabled: hasPressing && data !== undefined,
    retry: false,
  }).data
  const rows = useMemo(() => {
    if (!page || !isByDay) return page?.rows ?? NONE
    const first = hasPressing ? (waiting ?? []).filter(({ status }) => status === 'interrupted').map(rowOf) : []
    const all = [...first, ...page.rows].map((row) => [row.id, row] as const)
    return pressingFirst([...new Map(all).values()])
  }, [page, isByDay, hasPressing, waiting])
  const selection = useSelection(rows, list.filterText)
  const actions = useActions(workspace, deploymentId)
  return (
    <ListPage
      label="Threads"
      list={list}
      filters={FILTERS}
      searchProblem={problem}
      verbs={<NewThread workspace={workspace} deploymentId={deploymentId} />}
      reading={{ result, queryKey: (isPlain ? plainOptions : options).queryKey }}
      rows={page && rows}
      headingOf={isByDay ? dayOfRow : undefined}
      columns={threadColumns}
      rowKey={({ id }) => id}
      rowHref={({ id }) => routes.thread(workspace, deploymentId, id)}
      pendingRows={10}
      selection={{ label: 'Selected threads', of: selection, selectable: rows, actions }}
      isNarrowed={isFiltered}
      isBeyond={wanted.offset > 0}
      isLost={page?.isLost}
      empty={<EmptyState title="No threads yet">Start a run, or create a thread, with the buttons above.</EmptyState>}
      pager={
        page ? (
          <ListPager
            page={page}
            size={wanted.size}
            sizes={PAGE_SIZES}
            total={isCounted ? total.data : undefined}
            isLoading={result.isPlaceholderData}
            onMove={list.set}
            onSize={(limit) => list.set({ limit })}
          />
        ) : null
      }
    />
  )
}

const NONE: never[] = []

const pressingFirst = (rows: readonly ListedThread[]) => [
  ...rows.filter(({ status }) => status === 'interrupted'),
  ...rows.filter(({ status }) => status !== 'interrupted'),
]

function useActions(workspace: string, deploymentId: string): SelectionAction[] {
  const client = useQueryClient()
  const { run } = useReasons()
  const dialogOf =
    (verb: BulkVerb): SelectionAction['dialog'] =>
    ({ selected, drop, onClose }) => (
      <BulkDialog
        verb={verb}
        workspace={workspace}
        deploymentId={deploymentId}
        threads={selected}
        onDone={(deleted) => {
          drop(deleted)
          void invalidate(client, agentServer.searchThreads, workspace)
          void invalidate(client, agentServer.countThreads, workspace)
        }}
        onClose={onClose}
      />
    )
  const common = { reason: run, max: MAX_THREADS }
  return [
    { ...common, label: 'Cancel their runs…', icon: <CircleStop aria-hidden />, dialog: dialogOf('cancel') },
    { ...common, label: 'Delete…', icon: <Trash2 aria-hidden />, variant: 'danger', dialog: dialogOf('delete') },
  ]
}

function NewThread({ workspace, deploymentId }: DeploymentPlace) {
  const reason = useReasons().run
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button reason={reason} onClick={() => setOpen(true)}>
        <Plus aria-hidden />
        New thread
      </Button>
      {isOpen ? (
        <CreateThread workspace={workspace} deploymentId={deploymentId} onClose={() => setOpen(false)} />
      ) : null}
    </>
  )
}
