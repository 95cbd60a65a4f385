'use client'

import { type KeyboardEvent, useDeferredValue, useEffect, useId, useMemo, useReducer, useRef, useState } from 'react'
import { useFixedRows, useFollow } from '@/components/shared/fixed-rows'
import { FollowPill } from '@/components/shared/follow-pill'
import { Input } from '@/components/ui/input'
import { cn } from '@/lib/cn'
import { count } from '@/lib/format'
import { EventDetail } from './event-detail'
import { FilteredLog } from './event-filter'
import { EVENT_ROW_HEIGHT, EventRow } from './event-row'
import type { RunStore } from './run-store'
import { useRunVersion } from './use-run-view'

const SLICE_MS = 8

/** The log itself: every event as it came, to be filtered and opened. Only rows in sight are drawn. */
export function EventsLens({ store }: { store: RunStore }) {
  const { view } = store
  useRunVersion(store)
  const id = useId()
  const scroller = useRef<HTMLDivElement>(null)
  const [text, setText] = useState('')
  const [modes, setModes] = useState<readonly string[]>([])
  const [selected, setSelected] = useState<number>()
  const needle = useDeferredValue(text)
  const filtered = useMemo(() => new FilteredLog(view.log, { text: needle, modes }), [view, needle, modes])
  const isBehind = useAdvance(filtered)

  const rows = useFixedRows(scroller, filtered.count, EVENT_ROW_HEIGHT)
  const { isFollowing, unseen, follow, unfollow } = useFollow(scroller, filtered.count, rows.height)
  const startedAt = view.startedAt ?? 0

  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 15, PageUp: -15, Home: -Infinity, End: Infinity, j: 1, k: -1 }[
      event.key
    ]
    if (step === undefined || filtered.count === 0 || event.ctrlKey || event.metaKey || event.altKey) return
    event.preventDefault()
    const now = selected === undefined ? -1 : filtered.indexOf(selected)
    const next = Math.max(0, Math.min(filtered.count - 1, now + step))
    unfollow()
    setSelected(filtered.at(next)?.seq)
    rows.scrollToRow(next)
  }
  const visible = Array.from({ length: Math.max(0, rows.end - rows.first) }, (_, offset) => rows.first + offset)
  const entry = selected === undefined ? undefined : view.log.at(selected)
  return (
    <div className="flex h-full min-h-0 flex-col">
      <div className="flex flex-wrap items-center gap-2 border-b px-2 py-1.5">
        <Input
          type="search"
          aria-label="Filter events by text"
          placeholder="Filter by text"
          className="h-7 w-48 flex-1 sm:max-w-64"
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        <ModeChips counters={view.counters} chosen={modes} onChange={setModes} />
        <span className="ml-auto whitespace-nowrap text-ink-3 text-xs tabular-nums" role="status">
          {isBehind ? 'filtering… ' : ''}
          {filtered.count === view.log.length
            ? count(view.log.length)
            : `${count(filtered.count)} of ${count(view.log.length)}`}
        </span>
      </div>
      {view.log.first > 1 ? (
        <p className="border-b bg-warn-soft px-3 py-1 text-xs">
          The {count(view.log.first - 1)} oldest entries are kept on the server only, so that this page does not grow
          without end.
        </p>
      ) : null}
      <div className="flex min-h-0 flex-1 flex-col lg:flex-row">
        <div className="relative min-h-40 flex-1">
          <div
            ref={scroller}
            role="listbox"
            aria-label="Events"
            tabIndex={0}
            aria-activedescendant={selected === undefined ? undefined : `${id}-${selected}`}
            onKeyDown={onKeyDown}
            className="absolute inset-0 overflow-y-auto overscroll-contain focus-visible:-outline-offset-2"
          >
            <div className="relative" style={{ height: rows.height }}>
              {visible.map((index) => {
                const row = filtered.at(index)
                return row ? (
                  <EventRow
                    key={row.seq}
                    id={`${id}-${row.seq}`}
                    entry={row}
                    top={rows.topOf(index)}
                    startedAt={startedAt}
                    isSelected={row.seq === selected}
                    onSelect={() => {
                      unfollow()
                      setSelected(row.seq)
                    }}
                  />
                ) : null
              })}
            </div>
          </div>
          {isFollowing ? null : <FollowPill unseen={unseen} isLive={!view.final} onClick={follow} />}
        </div>
        {entry ? (
          <EventDetail
            entry={entry}
            onClose={() => setSelected(undefined)}
            className="h-1/2 border-t lg:h-auto lg:w-1/2 lg:border-t-0 lg:border-l"
          />
        ) : null}
      </div>
    </div>
  )
}

/** Lets the filter look at what is new, a slice at a time; true while some is left. */
function useAdvance(filtered: FilteredLog): boolean {
  const [, redraw] = useReducer((turn: number) => turn + 1, 0)
  const isDone = filtered.advance(SLICE_MS)
  useEffect(() => {
    if (isDone) return
    const timer = setTimeout(redraw)
    return () => clearTimeout(timer)
  })
  return !isDone
}

type ModeChipsProps = {
  counters: ReadonlyMap<string, number>
  chosen: readonly string[]
  onChange: (modes: readonly string[]) => void
}

const ModeChips = ({ counters, chosen, onChange }: ModeChipsProps) => (
  <fieldset className="flex flex-wrap gap-1">
    <legend className="sr-only">Modes</legend>
    {[...counters].map(([mode, number]) => {
      const isChosen = chosen.includes(mode)
      return (
        <button
          key={mode}
          type="button"
          aria-pressed={isChosen}
          onClick={() => onChange(isChosen ? chosen.filter((one) => one !== mode) : [...chosen, mode])}
          className={cn(
            'inline-flex h-6 max-w-48 items-center gap-1 rounded-full border px-2 text-2xs tabular-nums hover:bg-hover',
            isChosen ? 'border-accent bg-accent-soft text-ink' : 'text-ink-2',
          )}
        >
          <span className="truncate">{mode}</span> <span className="text-ink-3">{count(number)}</span>
        </button>
      )
    })}
  </fieldset>
)
