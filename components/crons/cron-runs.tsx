'use client'
import { useQuery } from '@tanstack/react-query'
import { EmptyState } from '@/components/shared/feedback/empty-state'
import { ErrorNotice, useTryAgain } from '@/components/shared/feedback/error-notice'
import { type Column, DataTable } from '@/components/shared/list/data-table'
import { RelativeTime } from '@/components/shared/text/relative-time'
import { VisibleText } from '@/components/shared/text/visible-text'
import { StatusBadge } from '@/components/ui/badge'
import { agentServer } from '@/lib/contracts/agent-server'
import type { RunRow } from '@/lib/contracts/agents/run-row'
import type { CronPlace, DeploymentPlace } from '@/lib/contracts/wire/places'
import type { ErrorView } from '@/lib/errors'
import { shortId } from '@/lib/format/format'
import { apiQuery } from '@/lib/queries/api-query'
import { runRowsQuery } from '@/lib/queries/runs'
import { threadsQuery } from '@/lib/queries/threads'
import { routes } from '@/lib/routes'
import { rowStatus, threadStatus } from '@/lib/stream/run-status'

type Props = {
  place: CronPlace
  /** Its thread, if it always runs on the same one. */
  thread: string | undefined
  isKept: boolean
}
type Row = Pick<RunRow, 'input' | 'error'> & {
  id: string
  thread: string
  status: ReturnType<typeof threadStatus>
  at: string | null | undefined
}
/** What the list of runs tells of a run. */
const wordsOf = (row: RunRow | undefined): Pick<Row, 'input' | 'error'> => ({ input: row?.input, error: row?.error })

const MOST = 50

/** The runs of a cron: those on its own thread, or the threads that it created. */
export const CronRuns = ({ place, thread, isKept }: Props) =>
  thread ? <RunsOfThread place={place} thread={thread} /> : <ThreadsOfCron place={place} isKept={isKept} />

const REFRESH = { refetchInterval: 10_000 }

/** Runs have the cron's id in their metadata. */
function RunsOfThread({ place: { workspace, deploymentId, cron }, thread }: { place: CronPlace; thread: string }) {
  const params = { thread_id: thread }
  const query = apiQuery(agentServer.listRuns, { workspace, deploymentId, params, query: { limit: 200 } })
  const { data, error } = useQuery({ ...query, ...REFRESH })
  const runs = data?.filter(({ metadata }) => metadata.cron_id === cron).slice(0, MOST)
  const ids = runs?.map(({ run_id }) => run_id) ?? []
  const listed = useQuery({
    ...runRowsQuery(workspace, { deployment: deploymentId, thread, runs: ids.join(','), limit: 100 }),
    ...REFRESH,
    enabled: ids.length > 0,
  })
  // A server does not tell a cancelled run from one that asks.
  const found = new Map(listed.data?.rows.map((row) => [row.run, row]))
  const rows =
    ids.length > 0 && listed.isPending
      ? undefined
      : runs?.map(
          ({ run_id: id, status, created_at: at }): Row => ({
            ...{ id, thread, at, ...wordsOf(found.get(id)) },
            status: rowStatus(found.get(id)?.status ?? status),
          }),
        )
  const retry = useTryAgain(query.queryKey)
  return (
    <Runs rows={rows} error={error?.view} onRetry={retry} place={{ workspace, deploymentId }}>
      Scheduled and manual runs appear here.
    </Runs>
  )
}

function ThreadsOfCron({ place: { workspace, deploymentId, cron }, isKept }: { place: CronPlace; isKept: boolean }) {
  const query = threadsQuery(workspace, deploymentId, {
    metadata: { cron_id: cron },
    select: ['thread_id', 'status', 'created_at', 'updated_at'],
    sort_by: 'created_at',
    sort_order: 'desc',
    limit: MOST,
  })
  const { data, error } = useQuery({ ...query, ...REFRESH })
  const since = data?.at(-1)?.created_at
  const listed = useQuery({
    ...runRowsQuery(workspace, { deployment: deploymentId, by: 'Cron', limit: 100, ...(since && { since }) }),
    ...REFRESH,
    enabled: data !== undefined && data.length > 0,
  })
  // An idle thread does not tell how its run ended.
  const runOf = (thread: string) => listed.data?.rows.find((row) => row.thread === thread)
  const rows =
    data && data.length > 0 && listed.isPending
      ? undefined
      : data?.map(({ thread_id: id, status, created_at: at }): Row => {
          const run = runOf(id)
          return { id, thread: id, at, ...wordsOf(run), status: run ? rowStatus(run.status) : threadStatus(status) }
        })
  const retry = useTryAgain(query.queryKey)
  return (
    <Runs rows={rows} error={error?.view} onRetry={retry} place={{ workspace, deploymentId }}>
      {isKept
        ? 'Scheduled and manual runs appear here.'
        : 'Its threads are deleted when their runs end. Keep threads to see runs here.'}
    </Runs>
  )
}

type RunsProps = {
  rows: Row[] | undefined
  error: ErrorView | undefined
  onRetry: () => void
  place: DeploymentPlace
  /** Shown if there are no runs. */
  children: string
}

const Runs = ({ rows, error, onRetry, place: { workspace, deploymentId }, children }: RunsProps) => (
  <section aria-label="Runs of this cron">
    <h3 className="mb-2 font-medium">Runs of this cron{rows && rows.length >= MOST ? ` (last ${MOST})` : ''}</h3>
    {error && !rows ? (
      <ErrorNotice error={error} onRetry={onRetry} />
    ) : (
      <DataTable
        label="Runs"
        columns={COLUMNS}
        rows={rows}
        rowKey={(one) => one.id}
        rowHref={(one) => routes.thread(workspace, deploymentId, one.thread)}
        pendingRows={3}
        empty={<EmptyState title="No runs yet">{children}</EmptyState>}
      />
    )}
  </section>
)

const COLUMNS: Column<Row>[] = [
  {
    id: 'run',
    header: 'Run',
    className: 'w-full max-w-0 truncate',
    cell: ({ thread, input, error }) => (
      <span title={[input, error, `Thread ${thread}`].filter(Boolean).join('\n')}>
        {error ? (
          <span className="mr-2 text-error">
            <VisibleText>{error}</VisibleText>
          </span>
        ) : null}
        {input ? (
          <VisibleText>{input}</VisibleText>
        ) : error ? null : (
          <span className="text-ink-2">
            On thread <code className="font-mono text-xs">{shortId(thread)}</code>
          </span>
        )}
      </span>
    ),
  },
  {
    id: 'status',
    header: 'Status',
    cell: ({ status: { tone, label, detail } }) => (
      <StatusBadge tone={tone} title={detail}>
        {label}
      </StatusBadge>
    ),
  },
  { id: 'at', header: 'Started', className: 'w-32 text-ink-2', cell: ({ at }) => <RelativeTime at={at} /> },
]
