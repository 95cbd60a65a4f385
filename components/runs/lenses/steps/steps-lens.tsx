'use client'
import Link from 'next/link'
import { type KeyboardEvent, type ReactNode, useContext, useEffect, useId, useMemo, useRef, useState } from 'react'
import { useMoment } from '@/components/runs/view/moment'
import { RunPlace } from '@/components/runs/view/run-place'
import type { RunStore } from '@/components/runs/view/run-store'
import { useRunVersion } from '@/components/runs/view/use-run-view'
import { useFixedRows } from '@/components/shared/layout/fixed-rows'
import { useReasons } from '@/components/shared/layout/rights'
import { duration } from '@/lib/format/format'
import { routes } from '@/lib/routes'
import type { RecordingSummary } from '@/lib/stream/log'
import { replayedUntil, timesOf } from '@/lib/stream/run-times'
import type { RunView } from '@/lib/stream/run-view'
import type { Track } from '@/lib/stream/steps'
import { CallLine } from './call-row'
import { callsByTask, useModelCalls } from './model-calls'
import { STEP_ROW_HEIGHT, StepLine } from './step-row'
import { rowAt, type StepRow, stepRows } from './step-rows'

/** Tracks with at most this many steps are open initially. */
const OPEN_UP_TO = 3

/** A timeline with a track per node and subgraph. Only visible rows are rendered. */
export function StepsLens({ store, summary }: { store: RunStore; summary: RecordingSummary }) {
  const { view } = store
  const version = useRunVersion(store)
  const id = useId()
  const { at } = useMoment()
  const scroller = useRef<HTMLDivElement>(null)
  const [toggled, setToggled] = useState<ReadonlySet<string>>(new Set())
  const [selected, setSelected] = useState<string>()
  const past = view.steps.past === 'none' ? undefined : view.steps.past
  const replayed = replayedUntil(view, summary)
  const known = past ? -Infinity : replayed
  const { from, to } = axisOf(view, summary)
  const calls = useModelCalls(summary, store)
  // biome-ignore lint/correctness/useExhaustiveDependencies: steps are mutated in place; their version, and the view's while some run, signal changes
  const list = useMemo(
    () =>
      stepRows(
        view.steps,
        (track) => isOpenByItself(track) !== toggled.has(track.key),
        to,
        callsByTask(view.steps, calls),
      ),
    [view, view.steps.version, toggled, version, calls],
  )
  const rows = useFixedRows(scroller, list.length, STEP_ROW_HEIGHT)
  const { scrollToRow } = rows

  // A moment selected in another lens.
  const shownAt = useRef<number>(undefined)
  useEffect(() => {
    if (at === undefined || shownAt.current === at) return
    const index = rowAt(list, at)
    const row = list[index]
    if (!row) return
    shownAt.current = at
    setSelected(row.key)
    scrollToRow(index, 'center')
  }, [at, list, scrollToRow])

  const toggle = (row: StepRow) =>
    setToggled((now) => {
      const next = new Set(now)
      if (!next.delete(row.track.key)) next.add(row.track.key)
      return next
    })
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || list.length === 0) return
    if (event.key === 'Enter' && event.target !== event.currentTarget) return // of a link or button in a row
    const now = list.findIndex(({ key }) => key === selected)
    const row = list[now]
    if (row?.kind === 'track' && (event.key === 'Enter' || event.key === (row.isOpen ? 'ArrowLeft' : 'ArrowRight'))) {
      event.preventDefault()
      return toggle(row)
    }
    const step = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1, Home: -Infinity, End: Infinity }[event.key]
    if (step === undefined) return
    event.preventDefault()
    const next = Math.max(0, Math.min(list.length - 1, now + step))
    setSelected(list[next]?.key)
    scrollToRow(next)
  }

  const run = view.run.id ?? summary.run
  const isMissingSteps = replayed === Infinity && view.gaps.length > 0
  if (list.length === 0)
    return (
      <p className="px-3 py-10 text-center text-ink-3 text-sm">
        {isMissingSteps ? (
          <>
            This run was recorded after its end, so its steps are not in the recording
            {view.steps.past ? ', and the thread’s history does not have them' : ''}.{' '}
            <TraceLink run={run}>Steps in the trace</TraceLink>
          </>
        ) : view.phase === 'ended' ? (
          'No steps recorded'
        ) : (
          'No steps yet'
        )}
      </p>
    )
  const visible = list.slice(rows.first, rows.end)
  return (
    <div className="@container flex h-full min-h-0 flex-col">
      <div className="flex flex-wrap items-center gap-x-2 gap-y-1 border-b px-2 py-1.5 text-ink-3 text-xs">
        <span className="min-w-0 flex-1 pl-6 @lg:w-64 @md:w-40 @md:flex-none">Node</span>
        <span className="w-20 shrink-0 text-right">Duration</span>
        <span className="flex min-w-0 basis-full justify-between tabular-nums @md:flex-1 @md:basis-0">
          {known === Infinity ? null : (
            <>
              <span>0</span>
              <span>{duration((to - from) / 2)}</span>
              <span>{duration(to - from)}</span>
            </>
          )}
        </span>
      </div>
      <TimesNote known={known} isMissingSteps={isMissingSteps} isMeasured={view.steps.tellsTasks} past={past}>
        <TraceLink run={run}>{isMissingSteps ? 'Steps' : 'Times'} in the trace</TraceLink>
      </TimesNote>
      <div
        ref={scroller}
        role="tree"
        aria-label="Steps"
        tabIndex={0}
        aria-activedescendant={selected === undefined ? undefined : `${id}-${selected}`}
        onKeyDown={onKeyDown}
        className="min-h-0 flex-1 overflow-y-auto overscroll-contain focus-visible:-outline-offset-2"
      >
        <div className="relative" style={{ height: rows.height }}>
          {visible.map((row, offset) => {
            const line = {
              id: `${id}-${row.key}`,
              top: rows.topOf(rows.first + offset),
              isSelected: row.key === selected,
              onSelect: () => setSelected(row.key),
            }
            return row.kind === 'call' ? (
              <CallLine key={row.key} call={row.call} {...line} />
            ) : (
              <StepLine
                key={row.key}
                {...{ row, from, to, known, isPast: past !== undefined }}
                {...line}
                onToggle={() => toggle(row)}
              />
            )
          })}
        </div>
      </div>
    </div>
  )
}

/** As far from the first entry as the run took by its header, so that both tell one duration; a history has the run's own times. */
function axisOf(view: RunView, summary: RecordingSummary): { from: number; to: number } {
  const { startedAt, endedAt } = timesOf(view, summary)
  const { past } = view.steps
  if (past && past !== 'none') return { from: startedAt, to: endedAt ?? startedAt }
  const from = view.startedAt ?? 0
  const isWhole = view.final !== undefined && replayedUntil(view, summary) === -Infinity
  return { from, to: isWhole && endedAt !== undefined ? from + endedAt - startedAt : (view.lastAt ?? from) }
}

type TimesNoteProps = {
  known: number
  isMissingSteps: boolean
  isMeasured: boolean
  past: 'whole' | 'part' | undefined
  children: ReactNode
}

/** What is unknown about the steps and their times, if anything. */
function TimesNote({ known, isMissingSteps, isMeasured, past, children }: TimesNoteProps) {
  const note = past
    ? `This run was recorded after its end. ${past === 'whole' ? 'Its steps' : 'These steps'} are read from the thread’s history: times are those of its checkpoints (≈), and what ran inside a node is not in it.${past === 'whole' ? '' : ' Some steps may be missing.'}`
    : isMissingSteps
      ? 'This run was recorded after its end, so some of its steps are not in the recording, and times are unknown here.'
      : known === Infinity
        ? 'This run was recorded after its end, so the times of its steps are unknown here.'
        : known !== -Infinity
          ? 'This run was recorded from later than its start, so the times of its first steps are unknown.'
          : isMeasured
            ? undefined
            : 'Start times are estimated (≈), because this run has no events of the stream mode “Tasks”.'
  return note ? (
    <p className="border-b px-3 py-1 text-ink-3 text-xs">
      {note} {children}
    </p>
  ) : null
}

/** The trace has times of all steps, and the model calls within them. */
function TraceLink({ run, children }: { run: string | null; children: ReactNode }) {
  const { hasTraces } = useReasons()
  const place = useContext(RunPlace)
  if (!hasTraces || !run || !place) return null
  return (
    <Link
      prefetch={false}
      className="text-accent hover:underline"
      href={routes.traceOfRun(place.workspace, place.deploymentId, run)}
    >
      {children}
    </Link>
  )
}

const isOpenByItself = (track: Track): boolean =>
  track.steps.length <= OPEN_UP_TO && track.steps.some(({ error, attempt }) => error !== undefined || attempt > 1)
