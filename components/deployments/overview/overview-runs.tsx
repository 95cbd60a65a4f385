'use client'
import { useQuery } from '@tanstack/react-query'
import Link from 'next/link'
import { LateNotice } from '@/components/shared/feedback/late-notice'
import { Panel } from '@/components/shared/layout/panel'
import { useLiveQuery } from '@/components/shared/layout/use-live-query'
import { RelativeTime } from '@/components/shared/text/relative-time'
import { VisibleText } from '@/components/shared/text/visible-text'
import { StatusBadge } from '@/components/ui/badge'
import { Skeleton } from '@/components/ui/loading'
import { type RunRow, STATUS_GROUPS } from '@/lib/contracts/agents/run-row'
import type { DeploymentPlace } from '@/lib/contracts/wire/places'
import { shortId } from '@/lib/format/format'
import { revisionLogsQuery } from '@/lib/queries/revisions'
import { recentRuns, runRowsQuery } from '@/lib/queries/runs'
import { routes } from '@/lib/routes'
import { rowStatus } from '@/lib/stream/run-status'

const SHOWN = 5

type Props = DeploymentPlace & {
  /** The revision that serves. */
  active: string | null
  /** Its listener is away, so that its log does not arrive. */
  isUnheard: boolean
}

/** The latest runs of any starter, and recent errors from those runs and from the active revision's log. */
export function OverviewRuns({ active, isUnheard, ...place }: Props) {
  const { workspace, deploymentId } = place
  const query = recentRuns(deploymentId)
  const options = runRowsQuery(workspace, query)
  const { refetchInterval } = useLiveQuery({ kind: 'runs', workspace, query }, options.queryKey)
  const { data, error } = useQuery({ ...options, refetchInterval })
  const rows = data?.rows ?? []
  const problem = error?.message ?? data?.looked?.problems[0]?.message
  return (
    <>
      <Panel title="Recent runs" action={<Link href={routes.runs(workspace, deploymentId)}>All runs</Link>}>
        {rows.length > 0 ? (
          <>
            <Runs workspace={workspace} rows={rows.slice(0, SHOWN)} />
            {problem === undefined ? null : (
              <p className="mt-1 text-ink-3 text-xs">Newer runs may be missing: {problem}</p>
            )}
          </>
        ) : problem !== undefined ? (
          <p className="text-ink-2">Unknown: {problem}</p>
        ) : data && !data.looked?.isPending ? (
          <p className="text-ink-2">No runs yet</p>
        ) : (
          <>
            <Skeleton className="w-1/2" />
            <LateNotice />
          </>
        )}
      </Panel>
      <Panel title="Recent errors">
        <Errors
          {...place}
          failed={rows.filter(({ status }) => FAILED.includes(status)).slice(0, SHOWN)}
          areRunsKnown={data !== undefined && problem === undefined && !data.looked?.isPending}
          active={active}
          isUnheard={isUnheard}
        />
      </Panel>
    </>
  )
}

const FAILED: readonly string[] = STATUS_GROUPS.failed

const Runs = ({ workspace, rows }: { workspace: string; rows: readonly RunRow[] }) => (
  <ul className="grid grid-cols-[auto_minmax(0,1fr)_auto] gap-x-3 gap-y-1">
    {rows.map((row) => {
      const { tone, label, detail } = rowStatus(row.status)
      return (
        <li key={row.id} className="col-span-3 grid grid-cols-subgrid items-center">
          <StatusBadge tone={tone} title={detail}>
            {label}
          </StatusBadge>
          <Link
            href={routes.run(workspace, row)}
            title={`Run ${row.run ?? '(no id yet)'}`}
            className="truncate hover:underline"
          >
            {row.input || row.error ? (
              <VisibleText>{row.input || row.error || ''}</VisibleText>
            ) : (
              <span className="font-mono text-xs">{shortId(row.run ?? row.id)}</span>
            )}{' '}
            <span className="text-ink-2">{row.startedBy}</span>
          </Link>
          <span className="text-ink-2 text-xs">
            <RelativeTime at={row.startedAt} />
          </span>
        </li>
      )
    })}
  </ul>
)

type ErrorsProps = Props & { failed: readonly RunRow[]; areRunsKnown: boolean }

function Errors({ workspace, deploymentId, failed, areRunsKnown, active, isUnheard }: ErrorsProps) {
  const log = useQuery({
    ...revisionLogsQuery(workspace, deploymentId, active ?? '', {
      type: 'deploy',
      level: 'ERROR',
      order: 'desc',
      limit: SHOWN,
    }),
    enabled: active !== null,
    refetchInterval: 30_000,
  })
  const lines = log.data?.logs ?? []
  return (
    <>
      {failed.length > 0 ? <Runs workspace={workspace} rows={failed} /> : null}
      {lines.length > 0 ? (
        <ul aria-label="From the active revision’s log" className="mt-1 flex flex-col gap-1">
          {lines.map((line, index) => (
            <li key={line.id ?? index} className="flex gap-3">
              <code className="line-clamp-2 min-w-0 flex-1 break-words font-mono text-error text-xs">
                {line.message}
              </code>
              <span className="shrink-0 text-ink-2 text-xs">
                <RelativeTime at={line.timestamp} />
              </span>
            </li>
          ))}
        </ul>
      ) : null}
      {failed.length === 0 && lines.length === 0 ? (
        <p className="text-ink-2">{nothingFound(areRunsKnown, log.data !== undefined && !isUnheard)}</p>
      ) : null}
      {isUnheard ? <p className="mt-1 text-ink-3 text-xs">Newer lines of the log have not arrived.</p> : null}
      {log.error ? <p className="mt-1 text-ink-3 text-xs">Log not available: {log.error.view.message}</p> : null}
    </>
  )
}

/** Names only what has been read. */
function nothingFound(areRunsKnown: boolean, isLogKnown: boolean): string {
  if (!areRunsKnown && !isLogKnown) return 'Unknown'
  const read = [areRunsKnown && 'recent runs', isLogKnown && 'the active revision’s log'].filter(Boolean)
  return `No errors in ${read.join(' or ')}.`
}
