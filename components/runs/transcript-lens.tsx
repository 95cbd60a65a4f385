'use client'

import { useVirtualizer } from '@tanstack/react-virtual'
import { useMemo, useRef } from 'react'
import { useFollow } from '@/components/shared/fixed-rows'
import { FollowPill } from '@/components/shared/follow-pill'
import { MessageCard } from '@/components/shared/message-card'
import { displayNamespace } from '@/lib/stream/namespaces'
import type { RunView } from '@/lib/stream/run-view'
import { itemVersion } from './transcript-items'
import { TranscriptMarker } from './transcript-marker'
import { type TranscriptRow, transcriptRows } from './transcript-rows'

/** The run as a conversation. Only rows in sight are drawn; a token changes one row's last block of text. */
export function TranscriptLens({ view, version }: { view: RunView; version: number }) {
  const scroller = useRef<HTMLDivElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the view is changed in place; its version says when
  const rows = useMemo(() => transcriptRows(view), [view, version])
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => 96,
    getItemKey: (index) => rows[index]?.key ?? index,
    overscan: 4,
    gap: 10,
    paddingStart: 12,
    paddingEnd: 16,
  })
  const height = virtual.getTotalSize()
  const { isFollowing, unseen, follow } = useFollow(scroller, rows.length, height)
  return (
    <div className="relative h-full min-h-0">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by keyboard too */}
      <section ref={scroller} aria-label="Transcript" tabIndex={0} className="h-full overflow-y-auto overscroll-contain px-3 [overflow-anchor:none]">
        {rows.length === 0 ? (
          <p className="py-10 text-center text-ink-3 text-sm">{view.final ? 'This run wrote no messages.' : 'Nothing has been written yet.'}</p>
        ) : null}
        <div className="relative mx-auto max-w-4xl" style={{ height }}>
          {virtual.getVirtualItems().map((item) => {
            const row = rows[item.index]
            return row ? (
              <div key={item.key} data-index={item.index} ref={virtual.measureElement} className="absolute inset-x-0" style={{ top: item.start }}>
                <Row row={row} />
              </div>
            ) : null
          })}
        </div>
      </section>
      {isFollowing ? null : <FollowPill unseen={unseen} onClick={follow} isLive={!view.final} />}
    </div>
  )
}

function Row({ row }: { row: TranscriptRow }) {
  if (row.marker) return <TranscriptMarker marker={row.marker} />
  const { message, results } = row.item
  const namespace = displayNamespace(message.namespace)
  return (
    <MessageCard
      message={message}
      version={itemVersion(row.item)}
      results={results}
      node={message.node}
      // The last segment of a message's place is often just the node that wrote it.
      namespace={namespace === message.node ? undefined : namespace || undefined}
    />
  )
}
