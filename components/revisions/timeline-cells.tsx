'use client'
import { useQuery } from '@tanstack/react-query'
import { RevisionStatus } from '@/components/shared/feedback/revision-status'
import { useStale } from '@/components/shared/feedback/stale-notice'
import { makeClock } from '@/components/shared/text/clock'
import { RelativeTime } from '@/components/shared/text/relative-time'
import { VisibleName } from '@/components/shared/text/visible-text'
import { Badge } from '@/components/ui/badge'
import { cn } from '@/lib/cn'
import { awaitedOf, isRevisionFailed, isRevisionInProgress } from '@/lib/contracts/wire/state'
import { count, duration } from '@/lib/format/format'
import { traceTotalsQuery, tracingProjectQuery } from '@/lib/queries/traces'
import { AuthorText } from './common/author-text'
import { PARTS, type Part, partsOf, type RollOut } from './common/roll-out'
import { SpanText } from './common/span'
import type { Span } from './common/times'
import { VersionText } from './common/version-text'
import type { RevisionRow } from './revision-rows'

const useNow = makeClock(1_000)

function dotOf({ revision: { status }, isActive, listener }: RevisionRow): string {
  if (isActive) return 'bg-ok'
  if (isRevisionFailed(status)) return 'bg-error'
  return isRevisionInProgress(status) && !awaitedOf(status, listener) ? 'bg-progress' : 'bg-ink-3'
}

/** A point of the timeline: what was deployed, by its commit message if it is known, and how that ended. */
export function PointCell({ row }: { row: RevisionRow }) {
  const { revision, isActive, isLatest, listener } = row
  const [subject] = revision.commit?.message.split('\n') ?? []
  return (
    <span className="block py-1.5 pl-5">
      <span
        aria-hidden
        className="absolute inset-y-0 left-4 w-px bg-line [tr:first-child_&]:top-1/2 [tr:last-child_&]:bottom-1/2"
      />
      <span
        aria-hidden
        className={cn('absolute top-1/2 left-4 size-2 -translate-x-1/2 -translate-y-1/2 rounded-full', dotOf(row))}
      />
      <span className="block truncate">
        {subject ? (
          <span title={revision.commit?.message}>
            <VisibleName>{subject}</VisibleName>
          </span>
        ) : (
          <VersionText config={revision.source_revision_config} />
        )}
      </span>
      <span className="mt-0.5 flex min-w-0 flex-wrap items-center gap-x-2.5 gap-y-0.5 font-normal text-ink-2 text-xs">
        <RevisionStatus status={revision.status} listener={listener} />
        {isActive ? <Badge className="border-ok/40 bg-ok-soft text-ok">active</Badge> : null}
        {isLatest && !isActive ? <Badge>latest</Badge> : null}
        {subject ? <VersionText config={revision.source_revision_config} /> : null}
      </span>
      {revision.commit ? (
        <span className="mt-0.5 block truncate font-normal text-ink-3 text-xs">
          <AuthorText commit={revision.commit} />
        </span>
      ) : null}
      <span className="mt-0.5 block truncate font-normal text-ink-3 text-xs sm:hidden">
        Created <RelativeTime at={revision.created_at} />
      </span>
    </span>
  )
}

const PART_STYLES: Record<Part, string> = { waiting: 'bg-ink-3/40', build: 'bg-accent', 'roll-out': 'bg-ok' }
const PART_LABELS: Record<Part, string> = { waiting: 'waiting', build: 'build', 'roll-out': 'roll-out' }

/** How long a roll-out took and where, as a bar on a common scale. `longestMs`: what a full bar stands for. */
export function TookCell({
  took,
  rollOut,
  longestMs,
}: {
  took: Span
  rollOut?: RollOut | undefined
  longestMs: number
}) {
  if (!rollOut) return <SpanText span={took} />
  return rollOut.to === null ? (
    <GrowingBar rollOut={rollOut} longestMs={longestMs} took={took} />
  ) : (
    <PartsBar rollOut={rollOut} longestMs={longestMs} now={rollOut.to} took={took} />
  )
}

type BarProps = { rollOut: RollOut; longestMs: number; took: Span }

function GrowingBar(props: BarProps) {
  const now = useNow()
  return <PartsBar {...props} now={useStale()?.at ?? now} />
}

function PartsBar({ rollOut, longestMs, now, took }: BarProps & { now: number }) {
  const parts = partsOf(rollOut, now)
  const shown = PARTS.filter((part) => parts[part] > 0)
  const text = shown.map((part) => `${PART_LABELS[part]} ${duration(parts[part])}`).join(' · ')
  const scale = Math.max(longestMs, now - rollOut.from, 1)
  return (
    <span className="block w-40" title={text} suppressHydrationWarning>
      <span className="flex items-baseline justify-between gap-2">
        <SpanText span={took} />
        <span className="truncate text-ink-3 text-xs" suppressHydrationWarning>
          {parts.build > 0 ? `build ${duration(parts.build)}` : 'no build'}
        </span>
      </span>
      <span aria-hidden className="mt-1 flex h-1.5 gap-px overflow-hidden rounded-full bg-sunken">
        {shown.map((part) => (
          <span
            key={part}
            className={cn('h-full min-w-px', PART_STYLES[part])}
            style={{ width: `${(100 * parts[part]) / scale}%` }}
            suppressHydrationWarning
          />
        ))}
      </span>
      <span className="sr-only" suppressHydrationWarning>
        {text}
      </span>
    </span>
  )
}

export type Tracing = { workspace: string; name: string; project: string | null | undefined }

/** How long a revision served, and how many of its runs failed meanwhile, from the traces of the deployment. */
export function ServedCell({ served, tracing }: { served: Span | undefined; tracing: Tracing | undefined }) {
  return (
    <span className="block">
      <SpanText span={served} />
      {served && tracing && !('unknown' in served) && !Number.isNaN(served.from) ? (
        <ErrorRate {...tracing} from={served.from} to={served.to} />
      ) : null}
    </span>
  )
}

function ErrorRate({ workspace, name, project, from, to }: Tracing & { from: number; to: number | null }) {
  const byName = useQuery({ ...tracingProjectQuery(workspace, name), enabled: !project })
  const session = project ?? byName.data?.find((one) => one.name === name)?.id
  const start = `gte(start_time, "${new Date(from).toISOString()}")`
  const filter = to === null ? start : `and(${start}, lt(start_time, "${new Date(to).toISOString()}"))`
  const query = traceTotalsQuery(workspace, { session: session ? [session] : [], is_root: true, filter })
  const totals = useQuery({ ...query, enabled: session !== undefined, refetchInterval: to === null ? 30_000 : false })
  const style = 'mt-0.5 block base:text-ink-3 text-xs'
  if (!session && byName.data) return <span className={style}>no traces</span>
  const error = byName.error ?? totals.error
  if (error && !totals.data)
    return (
      <span className={style} title={error.view.message}>
        error rate unknown
      </span>
    )
  if (!totals.data) return <span className={style}>…</span>
  const { run_count: runs, error_rate: rate } = totals.data
  if (runs === 0) return <span className={style}>no runs</span>
  if (runs == null || rate == null) return <span className={style}>error rate unknown</span>
  return (
    <span className={cn(style, rate > 0 && 'text-error')} title="From the traces of this deployment">
      {count(runs)} {runs === 1 ? 'run' : 'runs'}, {percent(rate)} failed
    </span>
  )
}

/** Whole percent; only exactly none and all are 0 and 100. */
const percent = (share: number) =>
  share > 0 && share < 0.01 ? '<1 %' : share > 0.99 && share < 1 ? '>99 %' : `${Math.round(share * 100)} %`
