import { RelativeTime } from '@/components/shared/text/relative-time'
import { VisibleName } from '@/components/shared/text/visible-text'
import type { DeploymentActivity, RunActivity } from '@/lib/contracts/activity'
import type { DeploymentRow } from '@/lib/contracts/deployments/deployment-row'
import { count, duration } from '@/lib/format/format'
import { Sparkline } from './sparkline'

/** `activity` is undefined until it was read, and null if it cannot be read. */
export type ListedRow = DeploymentRow & { activity: DeploymentActivity | null | undefined }

const LOADING = '…'
/** What the runs of a row cover. */
export const SOURCES: Record<RunActivity['source'], string> = {
  traces: 'From traces: the runs of every starter.',
  recordings: 'From recordings: only runs that this console started or joined.',
}

/** Shown in place of a figure of the runs. */
function Unknown({ row: { activity, active, source } }: { row: ListedRow }) {
  const isEmpty = source !== 'external' && !active && !activity?.problem
  const why =
    activity === null
      ? 'The activity of this deployment could not be read.'
      : (activity?.problem ??
        (isEmpty ? 'Nothing serves yet.' : 'It logged no traces, and this console has no recording of it.'))
  return (
    <span className="text-ink-3" title={why}>
      {isEmpty && activity ? '–' : 'unknown'}
    </span>
  )
}

export function RunsCell({ row }: { row: ListedRow }) {
  const runs = row.activity?.runs
  if (row.activity === undefined) return LOADING
  if (!runs) return <Unknown row={row} />
  const text = `${count(runs.runs)} ${runs.runs === 1 ? 'run' : 'runs'} in 24 h, ${count(runs.failed)} failed`
  return (
    <span title={`${text}. ${SOURCES[runs.source]}`} className="flex items-end gap-1.5 text-xs tabular-nums">
      {runs.hours ? <Sparkline hours={runs.hours} label={text} /> : null}
      {count(runs.runs)}
      {runs.failed > 0 ? <span className="text-error">{count(runs.failed)} failed</span> : null}
    </span>
  )
}

export function LatencyCell({ row }: { row: ListedRow }) {
  const runs = row.activity?.runs
  if (row.activity === undefined) return LOADING
  if (!runs) return <Unknown row={row} />
  if (runs.p95 === null)
    return (
      <span className="text-ink-3" title={runs.runs === 0 ? 'No runs in 24 h.' : 'No finished run in 24 h.'}>
        –
      </span>
    )
  return <span title={`95% of the runs in 24 h were faster. ${SOURCES[runs.source]}`}>{duration(runs.p95 * 1000)}</span>
}

export function LastRunCell({ row }: { row: ListedRow }) {
  const { activity } = row
  if (activity === undefined) return LOADING
  if (activity?.lastRun)
    return (
      <span title={SOURCES[activity.lastRun.source]}>
        <RelativeTime at={activity.lastRun.at} />
      </span>
    )
  if (activity?.runs) return <span title={SOURCES[activity.runs.source]}>none</span>
  return <Unknown row={row} />
}

/** The last change through this console and who made it; else when the control plane last changed the record. */
export function ChangeCell({ row }: { row: ListedRow }) {
  const { activity, source, updatedAt } = row
  const change = activity?.change
  if (change)
    return (
      <span title={`${change.actor} ${change.did}`} className="flex gap-1.5">
        <RelativeTime at={change.at} />
        <VisibleName className="truncate text-xs">{change.actor}</VisibleName>
      </span>
    )
  // A directly registered server does not say when it was changed.
  if (source === 'external') return <span title="Unknown">–</span>
  return (
    <span title={activity ? 'Updated on the control plane. Who did it is unknown.' : undefined}>
      <RelativeTime at={updatedAt} />
    </span>
  )
}
