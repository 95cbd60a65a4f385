'use client'

import {
  type KeyboardEvent,
  type RefObject,
  useEffect,
  useId,
  useLayoutEffect,
  useMemo,
  useReducer,
  useRef,
  useState,
} from 'react'
import { browserClock } from '@/components/runs/view/browser-clock'
import { useMoment } from '@/components/runs/view/moment'
import type { RunStore } from '@/components/runs/view/run-store'
import { useRunVersion } from '@/components/runs/view/use-run-view'
import { type FixedRows, useFixedRows, useFollow } from '@/components/shared/layout/fixed-rows'
import { useSetSearch } from '@/components/shared/layout/use-set-search'
import { FollowPill } from '@/components/shared/layout/virtual-feed'
import { useFocusBack, useIsNarrow } from '@/components/shared/list/use-sheet'
import { sheetOverList } from '@/components/ui/styles'
import { cn } from '@/lib/cn'
import { count } from '@/lib/format/format'
import { EventDetail } from './event-detail'
import { FilteredLog } from './event-filter'
import { EventFilterBar } from './event-filter-bar'
import { EVENT_ROW_HEIGHT, EventRow } from './event-row'
import { useEventFilter } from './use-event-filter'

const SLICE_MS = 6
/** How often matches are shown while old entries are being filtered. */
const SHOW_MS = 100

/** The raw log with filter and details. Only visible rows are rendered. */
export function EventsLens({ store }: { store: RunStore }) {
  const { view } = store
  useRunVersion(store)
  const id = useId()
  const scroller = useRef<HTMLDivElement>(null)
  const search = useEventFilter()
  const { at, open } = useMoment()
  const isNarrow = useIsNarrow()
  // Below a sheet, the row to come back to.
  const [current, setCurrent] = useState<number>()
  const selected = at ?? (isNarrow ? current : undefined)
  const filtered = useMemo(
    () => new FilteredLog(view.log, { ...search.filter, text: search.text }),
    [view, search.text, search.filter],
  )
  const isBehind = useAdvance(filtered)
  const { modes, place, node } = search.filter
  const isUnfiltered = search.text === '' && modes.length === 0 && !place && !node

  const { isNewestFirst } = search
  const { isFollowing, unseen, follow, unfollow } = useFollow(scroller, filtered.count, isNewestFirst)
  const rows = useFixedRows(scroller, filtered.count, EVENT_ROW_HEIGHT, isFollowing && !isNewestFirst)
  useStart(scroller, isNewestFirst, filtered.count, follow)
  /** The row of an entry, and the entry of a row, by their places. */
  const turned = (place: number) => (isNewestFirst && place !== -1 ? filtered.count - 1 - place : place)
  /** Whether the run has ended and the end is visible, where a "newest" button would only hide rows. */
  const hasNoMore = view.phase === 'ended' && rows.end === filtered.count
  const startedAt = view.startedAt ?? 0
  const setSearch = useSetSearch({ isLocal: true })
  const isOpen = at !== undefined
  const openEntry = (seq: number) => {
    setCurrent(seq)
    open('events', seq, isNarrow && !isOpen ? 'push' : 'replace')
  }
  const selectedRow = selected === undefined ? -1 : turned(filtered.indexOf(selected))
  useShowMoment(at, selectedRow, filtered.count, isBehind, rows.scrollToRow, unfollow)

  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 15, PageUp: -15, Home: -Infinity, End: Infinity, j: 1, k: -1 }[
      event.key
    ]
    if (event.key === 'ArrowRight' || event.key === 'ArrowLeft') {
      const key = selected === undefined ? undefined : filtered.messageOf(selected)
      if (key === undefined) return
      event.preventDefault()
      return search.setUnfolded(key, event.key === 'ArrowRight')
    }
    if (event.key === 'Enter' && selected !== undefined) return openEntry(selected)
    if (step === undefined || filtered.count === 0 || event.ctrlKey || event.metaKey || event.altKey) return
    event.preventDefault()
    const next = Math.max(0, Math.min(filtered.count - 1, selectedRow + step))
    unfollow()
    const seq = filtered.at(turned(next))?.seq
    if (seq !== undefined) isNarrow && !isOpen ? setCurrent(seq) : openEntry(seq)
    rows.scrollToRow(next)
  }
  const close = () => {
    setCurrent(at)
    setSearch({ at: '' })
  }
  const visible = Array.from({ length: Math.max(0, rows.end - rows.first) }, (_, offset) => rows.first + offset)
  const entry = isOpen ? view.log.at(at) : undefined
  useFocusBack(entry !== undefined, () => {
    scroller.current?.focus()
    if (selectedRow !== -1) rows.scrollToRow(selectedRow)
  })
  return (
    <div className="flex h-full min-h-0 flex-col">
      <div className="flex flex-wrap items-center gap-2 border-b px-2 py-1.5">
        <EventFilterBar view={view} filter={search} />
        <span className="ml-auto whitespace-nowrap text-ink-3 text-xs tabular-nums" role="status">
          {isBehind && !isUnfiltered ? 'filtering… ' : ''}
          {filtered.matches === view.log.length || (isBehind && isUnfiltered)
            ? count(view.log.length)
            : `${count(filtered.matches)} of ${count(view.log.length)}`}
        </span>
      </div>
      {view.log.first > 1 ? (
        <p className="border-b bg-warn-soft px-3 py-1 text-xs">
          Showing the newest entries. The {count(view.log.first - 1)} oldest are on the server; export the run to get
          them.
        </p>
      ) : null}
      <div className="flex min-h-0 flex-1 flex-col lg:flex-row">
        <div className="relative min-h-40 flex-1">
          <div
            ref={scroller}
            role="listbox"
            aria-label="Events"
            tabIndex={0}
            aria-activedescendant={selectedRow === -1 ? undefined : `${id}-${filtered.at(turned(selectedRow))?.seq}`}
            onKeyDown={onKeyDown}
            className="absolute inset-0 overflow-y-auto overscroll-contain focus-visible:-outline-offset-2"
          >
            <div className="relative" style={{ height: rows.height }}>
              {/* Keyed by visible position, so that scrolling reuses rows instead of creating them. */}
              <div className="absolute inset-x-0" style={{ top: rows.topOf(rows.first) }}>
                {visible.map((index) => {
                  const row = filtered.at(turned(index))
                  const fold = filtered.foldAt(turned(index))
                  return row ? (
                    <EventRow
                      key={index - rows.first}
                      id={`${id}-${row.seq}`}
                      entry={row}
                      startedAt={startedAt}
                      isSelected={index === selectedRow}
                      fold={fold && { chunks: fold.chunks, text: fold.text }}
                      onUnfold={() => {
                        unfollow()
                        if (fold) search.setUnfolded(fold.key, true)
                      }}
                      onSelect={() => {
                        unfollow()
                        openEntry(row.seq)
                      }}
                    />
                  ) : null
                })}
              </div>
            </div>
          </div>
          {filtered.count === 0 && !isBehind ? (
            <p className="pointer-events-none absolute inset-x-0 top-10 text-center text-ink-3 text-sm">
              {view.log.length > 0 ? 'No matching events' : view.phase === 'ended' ? 'No events' : 'No events yet'}
            </p>
          ) : null}
          {isFollowing || hasNoMore || isNewestFirst ? null : (
            <FollowPill {...{ scroller, unseen }} isLive={view.phase !== 'ended'} onFollow={follow} />
          )}
        </div>
        {entry ? (
          <EventDetail
            store={store}
            entry={entry}
            onClose={close}
            className={cn(sheetOverList, 'bg-panel max-lg:rounded-t-lg max-lg:border lg:w-1/2 lg:border-l')}
          />
        ) : null}
      </div>
    </div>
  )
}

/** Begins at the newest row in either order. With the newest first, rows that come above leave the others where they are. */
function useStart(
  scroller: RefObject<HTMLElement | null>,
  isNewestFirst: boolean,
  count: number,
  follow: () => void,
): void {
  const drawn = useRef({ isNewestFirst, count })
  useLayoutEffect(() => {
    const before = drawn.current
    drawn.current = { isNewestFirst, count }
    const element = scroller.current
    if (!element) return
    if (before.isNewestFirst !== isNewestFirst) {
      if (isNewestFirst) element.scrollTop = 0
      else follow()
    } else if (isNewestFirst && element.scrollTop > 0) element.scrollTop += (count - before.count) * EVENT_ROW_HEIGHT
  }, [scroller, isNewestFirst, count, follow])
}

/** Scrolls to the entry selected in another lens once it has arrived. */
function useShowMoment(
  at: number | undefined,
  row: number,
  count: number,
  isBehind: boolean,
  scrollToRow: FixedRows['scrollToRow'],
  unfollow: () => void,
): void {
  const shown = useRef<number>(undefined)
  const isThere = row >= 0 && row < count && !isBehind
  useEffect(() => {
    if (!isThere || shown.current === at) return
    shown.current = at
    unfollow()
    scrollToRow(row, 'center')
  }, [at, row, isThere, scrollToRow, unfollow])
}

/** Filters new entries slice by slice; true while some are left. */
function useAdvance(filtered: FilteredLog): boolean {
  const [, redraw] = useReducer((turn: number) => turn + 1, 0)
  const isDone = filtered.advance(SLICE_MS)
  useEffect(() => {
    if (isDone) return
    const showAt = performance.now() + SHOW_MS
    let isOver = false
    const goOn = () => {
      if (isOver) return
      if (filtered.advance(SLICE_MS) || performance.now() > showAt) browserClock.nextFrame(() => isOver || redraw())
      else setTimeout(goOn)
    }
    setTimeout(goOn)
    return () => {
      isOver = true
    }
  })
  return !isDone
}
