import { ChevronDown, ChevronRight } from 'lucide-react'
import type { ReactNode } from 'react'
import { MomentLinks } from '@/components/runs/view/moment-links'
import { RunFromHere } from '@/components/runs/view/run-place'
import { VisibleText } from '@/components/shared/text/visible-text'
import { cn } from '@/lib/cn'
import { count, duration } from '@/lib/format/format'
import { isEstimated, type Step, shownTime } from '@/lib/stream/steps'
import { displayNamespace } from '@/lib/stream/wire/namespaces'
import { type StepRow, trackBars } from './step-rows'

export const STEP_ROW_HEIGHT = 32

const BAR: Record<Step['status'], string> = {
  running: 'bg-progress/70',
  done: 'bg-ok/60',
  error: 'bg-error/80',
  interrupted: 'bg-warn/70',
  unknown: 'bg-ink-3/40',
}
const WORD: Record<Step['status'], string> = {
  running: 'Running',
  done: 'Done',
  error: 'Failed',
  interrupted: 'Stopped',
  unknown: 'Unknown',
}
const TEXT: Record<Step['status'], string> = {
  running: 'text-progress',
  done: 'text-ink-3',
  error: 'text-error',
  interrupted: 'text-warn',
  unknown: 'text-ink-3',
}

type Props = {
  id: string
  row: Exclude<StepRow, { kind: 'call' }>
  top: number
  /** The time range of the bars. */
  from: number
  to: number
  /** Steps that began before this time have no times of their own. */
  known: number
  /** The times are those of checkpoints. */
  isPast: boolean
  isSelected: boolean
  onSelect: () => void
  onToggle: () => void
}

/** A track or one of its steps: name, status and a bar on the timeline. */
export function StepLine({ id, row, top, from, to, known, isPast, isSelected, onSelect, onToggle }: Props) {
  const { track } = row
  const isTrack = row.kind === 'track'
  const place = displayNamespace(track.namespace)
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the list that holds the row handles the keys
    <div
      id={id}
      role="treeitem"
      aria-level={isTrack ? 1 : 2}
      aria-expanded={isTrack ? row.isOpen : undefined}
      aria-selected={isSelected}
      tabIndex={-1}
      onClick={onSelect}
      className={cn(
        'group absolute inset-x-0 flex cursor-default items-center gap-2 whitespace-nowrap px-2 text-xs',
        isSelected ? 'bg-accent-soft' : 'hover:bg-hover',
        isTrack && 'border-t',
      )}
      style={{ top, height: STEP_ROW_HEIGHT }}
    >
      <span className="flex min-w-0 flex-1 items-center gap-1 @lg:w-64 @md:w-40 @md:flex-none">
        {isTrack ? (
          <button
            type="button"
            tabIndex={-1}
            aria-label={row.isOpen ? 'Close' : 'Open'}
            className="inline-flex size-5 shrink-0 items-center justify-center rounded-sm text-ink-3 hover:bg-hover"
            onClick={(event) => {
              event.stopPropagation()
              onToggle()
            }}
          >
            {row.isOpen ? <ChevronDown className="size-3.5" /> : <ChevronRight className="size-3.5" />}
          </button>
        ) : (
          <span className="w-8 shrink-0" />
        )}
        {isTrack ? (
          <span className="min-w-0 truncate" title={place ? `${place} › ${track.node}` : track.node}>
            {place ? (
              <span className="text-ink-3">
                <VisibleText>{`${place} › `}</VisibleText>
              </span>
            ) : null}
            <span className="font-medium font-mono">
              <VisibleText>{track.node}</VisibleText>
            </span>
            {track.steps.length > 1 ? <span className="text-ink-3"> × {count(track.steps.length)}</span> : null}
            {row.calls > 0 ? (
              <span className="text-ink-3">
                {' '}
                · {count(row.calls)} model {row.calls === 1 ? 'call' : 'calls'}
              </span>
            ) : null}
          </span>
        ) : (
          <StepFacts step={row.step} />
        )}
      </span>
      <span className="w-20 shrink-0 text-right tabular-nums">
        {isTrack ? <TrackFacts {...{ row, known, isPast }} /> : <Took step={row.step} {...{ to, known, isPast }} />}
      </span>
      <span
        className="absolute inset-x-2 bottom-0.5 h-1 overflow-hidden rounded-sm bg-sunken @md:relative @md:inset-x-0 @md:bottom-0 @md:h-3.5 @md:min-w-0 @md:flex-1"
        aria-hidden
      >
        {isTrack
          ? trackBars(track, from, to, known).map((bar) => (
              <Strip key={bar.from} from={bar.from} to={bar.to} status={bar.status} />
            ))
          : row.step.startedAt < known
            ? null
            : strip(row.step, from, to)}
      </span>
      {/* Above the bar, so that the axis has the whole width. */}
      <span
        className={cn(
          'absolute inset-y-1 right-1 flex items-center rounded-md bg-panel px-1',
          isSelected ? '' : 'opacity-0 focus-within:opacity-100 group-hover:opacity-100',
        )}
      >
        <RunFromHere task={(isTrack ? track.steps[0] : row.step)?.task} />
        <MomentLinks seq={isTrack ? (track.steps[0]?.startedSeq ?? 0) : row.step.startedSeq} from="steps" />
      </span>
    </div>
  )
}

const StepFacts = ({ step }: { step: Step }) => (
  <span
    className={cn('min-w-0 truncate', TEXT[step.status])}
    title={step.error ?? (step.status === 'unknown' ? NO_END : undefined)}
  >
    {WORD[step.status]}
    {step.attempt > 1 ? <span className="text-ink-3">, attempt {step.attempt}</span> : null}
    {step.error ? (
      <span className="text-error">
        : <VisibleText>{step.error.slice(0, 300)}</VisibleText>
      </span>
    ) : null}
  </span>
)

type TookProps = { step: Step; to: number; known: number; isPast: boolean }
const Took = ({ step, to, known, isPast }: TookProps) =>
  step.status === 'unknown' ? (
    <Unknown title={NO_END} />
  ) : step.startedAt < known ? (
    <Unknown />
  ) : (
    <Duration ms={(step.endedAt ?? to) - step.startedAt} isAbout={isEstimated(step)} isPast={isPast} />
  )

const Unknown = ({ title = 'It was recorded later than it happened.' }) => <span title={title}>–</span>
const PAST = 'From the checkpoint before it to the one after it.'
const NO_END = 'The recording ends before this step did.'

type DurationProps = { ms: number; isAbout: boolean; isPast: boolean; title?: string }
const Duration = ({ ms, isAbout, isPast, title }: DurationProps) => (
  <span title={isPast ? PAST : isAbout ? 'Estimated from when events arrived.' : title}>
    {isAbout ? '≈ ' : ''}
    {duration(Math.max(0, ms))}
  </span>
)

type TrackFactsProps = { row: Extract<StepRow, { kind: 'track' }>; known: number; isPast: boolean }
function TrackFacts({ row, known, isPast }: TrackFactsProps): ReactNode {
  const { failed, running, busyMs, isAbout } = row.summary
  if (failed > 0) return <span className="text-error">{failed > 1 ? `${count(failed)} failed` : 'Failed'}</span>
  if (running > 0) return <span className="text-progress">{running > 1 ? `${count(running)} running` : 'Running'}</span>
  if (row.track.steps.some(({ status }) => status === 'unknown')) return <Unknown title={NO_END} />
  if (row.track.steps.some(({ startedAt }) => startedAt < known)) return <Unknown />
  return <Duration ms={busyMs} {...{ isAbout, isPast }} title="Total time of all steps" />
}

const strip = (step: Step, from: number, to: number) => {
  const span = Math.max(1, to - from)
  const shown = shownTime(step)
  return <Strip from={(shown.from - from) / span} to={((shown.to ?? to) - from) / span} status={step.status} />
}

const Strip = ({ from, to, status }: { from: number; to: number; status: Step['status'] }) => (
  <span
    className={cn('absolute inset-y-0 min-w-0.5 @md:inset-y-0.5 rounded-xs', BAR[status])}
    style={{ left: `${Math.max(0, from) * 100}%`, width: `${Math.max(0, Math.min(1, to) - Math.max(0, from)) * 100}%` }}
  />
)
