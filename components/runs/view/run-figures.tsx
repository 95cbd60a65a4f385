'use client'

import { Figure } from '@/components/shared/layout/section-header'
import { RelativeTime } from '@/components/shared/text/relative-time'
import { VisibleText } from '@/components/shared/text/visible-text'
import { StatusBadge } from '@/components/ui/badge'
import { cn } from '@/lib/cn'
import { count } from '@/lib/format/format'
import type { RecordingSummary } from '@/lib/stream/log'
import { type Progress, progressOf } from '@/lib/stream/progress'
import { type RunStatus, runStatus, shownPhase } from '@/lib/stream/run-status'
import { timesOf } from '@/lib/stream/run-times'
import { recordedFigures } from '@/lib/stream/run-view'
import { modelFigures } from '@/lib/traces/model-figures'
import { ConnectionBadge } from './connection-badge'
import { Elapsed } from './elapsed'
import { RunModelFigures } from './model-figures'
import type { RunStore } from './run-store'
import { TracedFigures } from './traced-figures'
import { useRunVersion } from './use-run-view'

type Props = {
  summary: RecordingSummary
  serverNow: number
  store: RunStore
  isCancelling: boolean
  /** The thread has gone on since the run asked its question. */
  isContinued?: boolean
  /** The recording is from a file or a public link, so the console is asked nothing about its run. */
  isFile?: boolean
  /** What the models took is behind Details on small screens. On wide ones, what runs is told elsewhere. */
  isFolded?: boolean
}

/** Of a file without the end of its run: how the run went on is in no file. */
const ENDS_EARLY: RunStatus = {
  ...{ tone: 'unknown', label: 'Unknown', isOver: true },
  detail: 'The file ends before the run did.',
}
const LOADING: RunStatus = { tone: 'unknown', label: 'Loading…', isOver: true }

/** The status of a run that the page follows. */
export const statusOf = (
  { view, phase }: RunStore,
  { summary, isCancelling, isContinued }: Pick<Props, 'summary' | 'isCancelling' | 'isContinued'>,
): RunStatus =>
  runStatus({
    phase: shownPhase(summary.phase, phase, view.final !== undefined),
    outcome: isContinued ? 'continued' : (view.final?.outcome ?? (summary.phase === 'ended' ? summary.outcome : null)),
    isStateless: summary.isStateless,
    isCancelling,
    view,
  })

/** The part of a run's header that changes while it runs. */
export function RunFigures({
  summary,
  serverNow,
  store,
  isCancelling,
  isContinued = summary.outcome === 'continued',
  isFile,
  isFolded,
}: Props) {
  useRunVersion(store)
  const { view } = store
  const isPart = isFile && !view.final
  const status = isPart
    ? store.endsEarly
      ? ENDS_EARLY
      : LOADING
    : statusOf(store, { summary, isCancelling, isContinued })
  const { startedAt, endedAt } = timesOf(view, summary)
  return (
    <>
      <StatusBadge tone={status.tone} title={status.detail} className="min-w-18">
        {status.label}
      </StatusBadge>
      {isPart ? (
        <Figure label="Last entry">
          <RelativeTime at={view.lastAt} />
        </Figure>
      ) : (
        <Figure label="Duration">
          <span className="min-w-11">
            {status.isOver && endedAt === undefined ? (
              <span title="Unknown: nothing tells when the run ended.">–</span>
            ) : (
              <Elapsed
                from={startedAt}
                to={status.isOver ? endedAt : undefined}
                serverNow={serverNow}
                latest={view.lastAt}
              />
            )}
          </span>
        </Figure>
      )}
      {isFile ? (
        <RunModelFigures
          figures={modelFigures(undefined, recordedFigures(view, summary))}
          unknownTitle="Unknown: the recording does not tell it."
        />
      ) : (
        <span className={cn('contents', isFolded && 'max-sm:hidden')}>
          <TracedFigures summary={summary} store={store} />
        </span>
      )}
      {view.run.attempt > 1 ? <Figure label="Attempt">{view.run.attempt}</Figure> : null}
      {/* Last, and in the room that is left: its words change when the run ends, and nothing else may move. */}
      <span
        className={cn(
          'order-1 flex items-center gap-x-4',
          // The header of a run is one line on wide screens.
          isFolded ? 'min-w-12 max-sm:min-w-24' : 'min-w-24',
          // What cannot change may wrap as a whole.
          isFile ? 'max-sm:basis-full' : 'flex-1 basis-0 overflow-hidden',
        )}
      >
        <ConnectionBadge store={store} isFile={isFile} isEnded={summary.phase === 'ended'} />
        {status.isOver ? null : <Now progress={progressOf(view)} className={isFolded ? 'lg:hidden' : undefined} />}
      </span>
    </>
  )
}

/** What runs now, beside the lenses of a run. */
export function RunProgress({ summary, store }: Pick<Props, 'summary' | 'store'>) {
  useRunVersion(store)
  if (store.view.final || summary.phase === 'ended') return null
  return <Now progress={progressOf(store.view)} className="lg:max-w-64 xl:max-w-[28rem]" />
}

const MOST_NODES = 3

/** The nodes that run, and what they say of their progress. */
function Now({ progress, className }: { progress: Progress | undefined; className?: string | undefined }) {
  if (!progress) return null
  const { nodes, note } = progress
  const shown = nodes.slice(0, MOST_NODES).map(({ name, count: n }) => (n > 1 ? `${name} × ${count(n)}` : name))
  const rest = nodes.length - shown.length
  const running = `${shown.join(', ')}${rest > 0 ? ` + ${count(rest)}` : ''}`
  const words = [running, note].filter(Boolean).join(' · ')
  return (
    <span className={cn('min-w-0 max-w-72 truncate text-progress text-xs', className)} title={`running: ${words}`}>
      <span className="max-sm:hidden">running: </span>
      <VisibleText>{words}</VisibleText>
    </span>
  )
}
