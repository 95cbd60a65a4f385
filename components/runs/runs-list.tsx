'use client'

import { useQueries, useQuery } from '@tanstack/react-query'
import Link from 'next/link'
import { useSearchParams } from 'next/navigation'
import { useEffect, useState } from 'react'
import { type Column, DataTable } from '@/components/shared/data-table'
import { EmptyState } from '@/components/shared/empty-state'
import { ErrorNotice } from '@/components/shared/error-notice'
import { RelativeTime } from '@/components/shared/relative-time'
import { useSetSearch } from '@/components/shared/use-set-search'
import { StatusBadge } from '@/components/ui/badge'
import { Button } from '@/components/ui/button'
import { shortId } from '@/lib/format'
import { subscribe } from '@/lib/live/client'
import { deploymentsQuery } from '@/lib/queries/deployments'
import { routes } from '@/lib/routes'
import type { RecordingSummary } from '@/lib/stream/log'
import { Elapsed } from './elapsed'
import { findAssistant, pickableAssistants } from './pickable-assistants'
import { runStatus } from './run-status'

/** Names are asked of so many deployments at most. */
const MOST_SERVERS = 10

/** A page of recordings, newest first; `next` is the place of the next one. */
export type RunsPage = { items: RecordingSummary[]; next: string | null }
type Props = { workspace: string; deployment?: string; initial: RunsPage; serverNow: number }

/** Recorded runs of a deployment, or of the whole workspace; the first page moves by itself. */
export function RunsList({ workspace, deployment, initial, serverNow }: Props) {
  const search = useSearchParams()
  const setSearch = useSetSearch()
  const after = search.get('after')
  const { page, error } = useLivePage(workspace, deployment, initial, !after)
  const names = useNames(workspace, deployment, page.items)
  const columns = runColumns(names, serverNow, !deployment)
  return (
    <>
      {error ? <ErrorNotice error={{ message: error }} className="mb-3" /> : null}
      <DataTable
        label="Runs"
        columns={columns}
        rows={page.items}
        rowKey={(one) => one.id}
        rowHref={(one) => routes.recording(workspace, one.deployment, one.id)}
        empty={
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
        }
      />
      {after || page.next ? (
        <nav aria-label="Pages" className="mt-3 flex justify-end gap-2">
          <Button size="sm" disabled={!after} onClick={() => setSearch({ after: '' })}>
            Newest
          </Button>
          <Button size="sm" disabled={!page.next} onClick={() => setSearch({ after: page.next ?? '' })}>
            Older
          </Button>
        </nav>
      ) : null}
    </>
  )
}

/** The page as the server sent it, then as it changes. */
function useLivePage(workspace: string, deployment: string | undefined, initial: RunsPage, isFirst: boolean) {
  const [live, setLive] = useState<{ from: RunsPage; page: RunsPage }>()
  const [error, setError] = useState<string>()
  useEffect(() => {
    if (!isFirst) return
    return subscribe(
      { kind: 'recordings', workspace, deployment },
      {
        onValue: (value) => {
          setError(undefined)
          setLive({ from: initial, page: value as RunsPage })
        },
        onError: ({ message }) => setError(message),
      },
    )
  }, [workspace, deployment, initial, isFirst])
  return { page: isFirst && live?.from === initial ? live.page : initial, error }
}

type Names = { assistant: (one: RecordingSummary) => string; deployment: (id: string) => string }

/** Names for the ids of recordings, as far as they can be learned; the ids themselves otherwise. */
function useNames(workspace: string, deployment: string | undefined, items: readonly RecordingSummary[]): Names {
  const deployments = useQuery({ ...deploymentsQuery(workspace, { limit: 100 }), enabled: !deployment })
  const servers = [...new Set(items.map((one) => one.deployment))].slice(0, MOST_SERVERS)
  const assistants = useQueries({ queries: servers.map((server) => pickableAssistants(workspace, server)) })
  return {
    assistant: (one) => {
      const found = findAssistant(assistants[servers.indexOf(one.deployment)]?.data, one.assistant)
      return found?.name || found?.graph_id || one.assistant
    },
    deployment: (id) => deployments.data?.resources.find((one) => one.id === id)?.name ?? shortId(id),
  }
}

const runColumns = (names: Names, serverNow: number, hasDeployment: boolean): Column<RecordingSummary>[] => [
  {
    id: 'assistant',
    header: 'Assistant',
    cell: (one) => <span title={one.assistant}>{shortName(names.assistant(one))}</span>,
  },
  {
    id: 'status',
    header: 'Status',
    cell: (one) => {
      const status = runStatus(one)
      return (
        <StatusBadge tone={status.tone} title={status.detail}>
          {status.label}
        </StatusBadge>
      )
    },
  },
  ...(hasDeployment
    ? [
        {
          id: 'deployment',
          header: 'Deployment',
          from: 'md',
          cell: (one) => <span title={one.deployment}>{names.deployment(one.deployment)}</span>,
        } satisfies Column<RecordingSummary>,
      ]
    : []),
  {
    id: 'thread',
    header: 'Thread',
    from: 'md',
    cell: (one) =>
      one.isStateless || !one.thread ? (
        <span className="text-ink-3">{one.isStateless ? 'stateless' : '–'}</span>
      ) : (
        <code className="font-mono text-ink-2 text-xs" title={one.thread}>
          {shortId(one.thread)}
        </code>
      ),
  },
  {
    id: 'by',
    header: 'Started by',
    from: 'lg',
    cell: (one) => (
      <span className="text-ink-2" title={one.startedBy}>
        {one.startedBy}
      </span>
    ),
  },
  {
    id: 'at',
    header: 'Started',
    from: 'sm',
    className: 'w-32 text-ink-2',
    cell: (one) => <RelativeTime at={one.startedAt} />,
  },
  {
    id: 'duration',
    header: 'Duration',
    className: 'w-28 text-ink-2',
    cell: (one) => (
      <Elapsed
        from={Date.parse(one.startedAt)}
        to={one.endedAt ? Date.parse(one.endedAt) : one.phase === 'ended' ? Date.parse(one.startedAt) : undefined}
        serverNow={serverNow}
      />
    ),
  },
]

const shortName = (name: string) => (/^[0-9a-f]{8}-[0-9a-f-]{27}$/i.test(name) ? shortId(name) : name)
