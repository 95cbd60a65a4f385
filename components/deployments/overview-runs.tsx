'use client'
import { useQuery } from '@tanstack/react-query'
import Link from 'next/link'
import { useEffect, useState } from 'react'
import { Panel } from '@/components/shared/layout/panel'
import { RelativeTime } from '@/components/shared/text/relative-time'
import { StatusBadge } from '@/components/ui/badge'
import type { DeploymentPlace } from '@/lib/contracts/wire/places'
import { shortId } from '@/lib/format/format'
import { subscribe } from '@/lib/live/client'
import { revisionLogsQuery } from '@/lib/queries/revisions'
import { routes } from '@/lib/routes'
import type { RecordingOutcome, RecordingSummary } from '@/lib/stream/log'
import { runStatus } from '@/lib/stream/run-status'

export type RecentRuns = { items: RecordingSummary[] }

const SHOWN = 5
const FAILED: readonly (RecordingOutcome | null)[] = ['error', 'timeout']

/** The latest recorded runs, and recent errors from those runs and from the active revision's log. */
export function OverviewRuns({
  initial,
  active,
  ...place
}: DeploymentPlace & { initial: RecentRuns; active: string | null }) {
  const { workspace, deploymentId } = place
  const [live, setLive] = useState<RecentRuns>()
  useEffect(
    () =>
      subscribe(
        { kind: 'recordings', workspace, deployment: deploymentId },
        // From our own server. Errors are shown in the list of runs.
        { onValue: (value) => setLive(value as RecentRuns), onError: () => {} },
      ),
    [workspace, deploymentId],
  )
  const { items } = live ?? initial
  return (
    <>
      <Panel title="Recent runs" action={<Link href={routes.runs(workspace, deploymentId)}>All runs</Link>}>
        {items.length > 0 ? (
          <Runs {...place} items={items.slice(0, SHOWN)} />
        ) : (
          <p className="text-ink-2">No runs yet</p>
        )}
      </Panel>
      <Panel title="Recent errors">
        <Errors
          {...place}
          failed={items.filter(({ outcome }) => FAILED.includes(outcome)).slice(0, SHOWN)}
          active={active}
        />
      </Panel>
    </>
  )
}

const Runs = ({ workspace, deploymentId, items }: DeploymentPlace & { items: readonly RecordingSummary[] }) => (
  <ul className="grid grid-cols-[auto_minmax(0,1fr)_auto] gap-x-3 gap-y-1">
    {items.map((one) => {
      const { tone, label, detail } = runStatus(one)
      return (
        <li key={one.id} className="col-span-3 grid grid-cols-subgrid items-center">
          <StatusBadge tone={tone} title={detail}>
            {label}
          </StatusBadge>
          <Link href={routes.recording(workspace, deploymentId, one.id)} className="truncate hover:underline">
            <span className="font-mono text-xs">{shortId(one.run ?? one.id)}</span>{' '}
            <span className="text-ink-2">{one.startedBy}</span>
          </Link>
          <span className="text-ink-2 text-xs">
            <RelativeTime at={one.startedAt} />
          </span>
        </li>
      )
    })}
  </ul>
)

type ErrorsProps = DeploymentPlace & { failed: readonly RecordingSummary[]; active: string | null }

function Errors({ workspace, deploymentId, failed, active }: ErrorsProps) {
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
      {failed.length > 0 ? <Runs workspace={workspace} deploymentId={deploymentId} items={failed} /> : null}
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
        <p className="text-ink-2">No errors in recent runs{log.data ? ' or the active revision’s log' : ''}.</p>
      ) : null}
      {log.error ? <p className="mt-1 text-ink-3 text-xs">Log not available: {log.error.view.message}</p> : null}
    </>
  )
}
