'use client'

import { type ReactNode, useMemo } from 'react'
import { useMoment } from '@/components/runs/view/moment'
import { MomentLinks } from '@/components/runs/view/moment-links'
import type { RunStore } from '@/components/runs/view/run-store'
import { useRunVersion } from '@/components/runs/view/use-run-view'
import { VirtualFeed } from '@/components/shared/layout/virtual-feed'
import { MessageCard } from '@/components/shared/message/message-card'
import { Button } from '@/components/ui/button'
import { displayNamespace } from '@/lib/stream/wire/namespaces'
import { TranscriptMarker } from './transcript-marker'
import {
  besideFailure,
  besideQuestions,
  noResultOf,
  type TranscriptRow,
  transcriptRowAt,
  transcriptRows,
} from './transcript-rows'

type Props = { store: RunStore; side?: string; hasFailureCard?: boolean; hasQuestions?: boolean }

/** The run as a conversation. A token renders only the last text block of one row. */
export function TranscriptLens({ store, side, hasFailureCard, hasQuestions }: Props) {
  const { view } = store
  const version = useRunVersion(store)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the view is mutated in place; its version signals changes
  const rows = useMemo(() => {
    const all = transcriptRows(view)
    const unasked = hasQuestions ? besideQuestions(all) : all
    return hasFailureCard ? besideFailure(unasked, view) : unasked
  }, [view, version, hasFailureCard, hasQuestions])
  const { at, open } = useMoment()
  const index = at === undefined ? -1 : transcriptRowAt(rows, at)
  return (
    <VirtualFeed
      label={side ? `Conversation of ${side}` : 'Conversation'}
      count={rows.length}
      keyOf={(position) => rows[position]?.key ?? String(position)}
      row={(position) => {
        const row = rows[position]
        return row ? (
          <TranscriptRowView row={row} isMoment={at !== undefined && position === index} noResult={noResultOf(view)} />
        ) : null
      }}
      empty={view.phase === 'ended' ? <NoMessages onSteps={() => open('steps')} /> : 'No messages yet'}
      isLive={view.phase !== 'ended'}
      target={index >= 0 ? { index, token: String(at) } : undefined}
    />
  )
}

/** Many graphs have none. */
const NoMessages = ({ onSteps }: { onSteps: () => void }) => (
  <>
    <p className="mb-3">No messages</p>
    <Button size="sm" onClick={onSteps}>
      Show steps
    </Button>
  </>
)

type RowProps = {
  row: TranscriptRow
  isMoment: boolean
  noResult?: string | undefined
  /** Actions on the message. */
  verbs?: ReactNode
}

/** One message or notice. */
export function TranscriptRowView({ row, isMoment, noResult, verbs }: RowProps) {
  const mark = isMoment ? 'rounded-lg ring-2 ring-accent' : undefined
  if (row.marker)
    return (
      <div className={mark}>
        <TranscriptMarker marker={row.marker} />
      </div>
    )
  const { message, results } = row.item
  const namespace = displayNamespace(message.namespace)
  return (
    <div className={mark}>
      <MessageCard
        message={message}
        version={row.version}
        results={results}
        noResult={noResult}
        node={message.node}
        // The last path segment is often just the node that wrote the message.
        namespace={namespace === message.node ? undefined : namespace || undefined}
        aside={
          <>
            {verbs}
            <MomentLinks
              seq={message.firstSeq}
              from="transcript"
              className="opacity-0 focus-within:opacity-100 group-hover:opacity-100"
            />
          </>
        }
      />
    </div>
  )
}
