'use client'

import { useMemo } from 'react'
import { MessageCard } from '@/components/shared/message-card'
import { itemVersion } from '@/components/shared/message-items'
import { VirtualFeed } from '@/components/shared/virtual-feed'
import { displayNamespace } from '@/lib/stream/namespaces'
import type { RunStore } from './run-store'
import { TranscriptMarker } from './transcript-marker'
import { type TranscriptRow, transcriptRows } from './transcript-rows'
import { useRunVersion } from './use-run-view'

/** The run as a conversation. A token changes one row's last block of text; nothing else is drawn anew. */
export function TranscriptLens({ store }: { store: RunStore }) {
  const { view } = store
  const version = useRunVersion(store)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the view is changed in place; its version says when
  const rows = useMemo(() => transcriptRows(view), [view, version])
  return (
    <VirtualFeed
      label="Conversation"
      count={rows.length}
      keyOf={(index) => rows[index]?.key ?? String(index)}
      row={(index) => {
        const row = rows[index]
        return row ? <Row row={row} /> : null
      }}
      empty={view.final ? 'This run wrote no messages.' : 'Nothing has been written yet.'}
      isLive={!view.final}
    />
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
