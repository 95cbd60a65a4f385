'use client'

import { useVirtualizer } from '@tanstack/react-virtual'
import { ArrowDown } from 'lucide-react'
import { type ReactNode, type RefObject, useEffect, useRef } from 'react'
import { count } from '@/lib/format/format'
import { useFollow } from './fixed-rows'

type Props = {
  label: string
  count: number
  keyOf: (index: number) => string
  row: (index: number) => ReactNode
  empty: ReactNode
  /** Whether more rows may arrive. */
  isLive: boolean
  /** Neither moves to new rows nor offers it, because someone writes in one that is shown. */
  isHeld?: boolean
  /** A row to scroll to; a new `token` scrolls again. */
  target?: { index: number; token: string }
}

const GAP = 10
const PADDING_END = 16

/** Rows of varying height, such as messages. Renders only the visible ones and starts at the end. */
export function VirtualFeed({ label, count, keyOf, row, empty, isLive, isHeld, target }: Props) {
  const scroller = useRef<HTMLDivElement>(null)
  const virtual = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => 96,
    getItemKey: keyOf,
    overscan: 4,
    gap: GAP,
    paddingStart: 12,
    paddingEnd: PADDING_END,
  })
  const height = virtual.getTotalSize()
  const items = virtual.getVirtualItems()
  const isEndDrawn = items.at(-1)?.index === count - 1
  const { isFollowing, unseen, follow, unfollow } = useFollow(scroller, count, isHeld)
  // At the end, keeping the rows above in place would scroll away from it.
  virtual.shouldAdjustScrollPositionOnItemSizeChange = isFollowing ? () => false : undefined
  const shownTarget = useRef<string>(undefined)
  useEffect(() => {
    if (!target || shownTarget.current === target.token) return
    shownTarget.current = target.token
    unfollow()
    virtual.scrollToIndex(target.index, { align: 'center' })
  }, [target, virtual, unfollow])
  return (
    <div className="relative h-full min-h-0">
      <section
        ref={scroller}
        aria-label={label}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard
        tabIndex={0}
        className="h-full overflow-y-auto overscroll-contain px-3 [overflow-anchor:none] focus-visible:-outline-offset-2"
      >
        {count === 0 ? <div className="py-10 text-center text-ink-3 text-sm">{empty}</div> : null}
        {/* In document flow below the first one, so that a growing row moves the rest without a measurement. */}
        <div
          className="mx-auto max-w-4xl"
          style={{ paddingTop: items[0]?.start, height: isEndDrawn ? undefined : height }}
        >
          {items.map((item) => (
            <div
              key={item.key}
              data-index={item.index}
              ref={virtual.measureElement}
              className="flow-root"
              style={{ marginBottom: item.index === count - 1 ? PADDING_END : GAP }}
            >
              {row(item.index)}
            </div>
          ))}
        </div>
      </section>
      {isFollowing || isHeld ? null : <FollowPill {...{ scroller, unseen, isLive }} onFollow={follow} />}
    </div>
  )
}

type PillProps = {
  /** Takes the focus, because the button goes when it is pressed. */
  scroller: RefObject<HTMLElement | null>
  unseen: number
  isLive: boolean
  onFollow: () => void
}

/** Jumps to the end of a growing list and follows it again. Shows the number of unseen rows. */
export const FollowPill = ({ scroller, unseen, isLive, onFollow }: PillProps) => (
  <button
    type="button"
    onClick={() => {
      scroller.current?.focus({ preventScroll: true })
      onFollow()
    }}
    className="absolute bottom-3 left-1/2 inline-flex h-8 -translate-x-1/2 items-center gap-1.5 rounded-full border border-line-strong bg-panel px-3 font-medium text-xs shadow-pop hover:bg-hover"
  >
    <ArrowDown aria-hidden className="size-3.5" />
    {unseen > 0 ? `${count(unseen)} new` : isLive ? 'Follow' : 'Jump to end'}
  </button>
)
