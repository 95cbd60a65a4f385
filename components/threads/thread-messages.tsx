'use client'

import { useEffect, useMemo, useState } from 'react'
import { ErrorNotice } from '@/components/shared/feedback/error-notice'
import { VirtualFeed } from '@/components/shared/layout/virtual-feed'
import { MessageCard } from '@/components/shared/message/message-card'
import { itemVersion, messageItems } from '@/components/shared/message/message-items'
import { Skeleton } from '@/components/ui/loading'
import { count } from '@/lib/format/format'
import type { LargeJson } from '@/lib/json/large-json'
import { parseJson } from '@/lib/json/lossless'
import type { LoadedState } from '@/lib/queries/thread-states'
import { Transcript } from '@/lib/stream/transcript'

type Props = { state: LoadedState; isBusy: boolean }

/** The messages of a state as a conversation. */
export function ThreadMessages({ state: { large, values }, isBusy }: Props) {
  return large ? <LargeConversation large={large} isBusy={isBusy} /> : <Conversation values={values} isBusy={isBusy} />
}

/** For large states, only the newest messages that fit into this many bytes are shown. */
const MOST_READ = 1_500_000

function LargeConversation({ large, isBusy }: { large: LargeJson; isBusy: boolean }) {
  const [found, setFound] = useState<{ values: unknown; note?: string } | { problem: string }>()
  useEffect(() => {
    let isGone = false
    void large.whole
      .then(() => large.newest('messages', MOST_READ))
      .then(
        ({ text, count: shown, of }) => ({
          values: { messages: parseJson(text) },
          ...(shown < of && {
            note: `The newest ${count(shown)} of ${count(of)} messages. See all in the State tab.`,
          }),
        }),
        (error: Error) => ({ problem: error.message }),
      )
      .then((read) => {
        if (!isGone) setFound(read)
      })
    return () => {
      isGone = true
    }
  }, [large])
  if (!found) return <Skeleton className="m-4 h-40" />
  if ('problem' in found) return <ErrorNotice error={{ message: found.problem }} className="m-3" />
  return (
    <div className="flex h-full min-h-0 flex-col">
      {found.note ? <p className="border-b bg-sunken px-3 py-1.5 text-ink-2 text-xs">{found.note}</p> : null}
      <div className="min-h-0 flex-1">
        <Conversation values={found.values} isBusy={isBusy} />
      </div>
    </div>
  )
}

function Conversation({ values, isBusy }: { values: unknown; isBusy: boolean }) {
  const items = useMemo(() => {
    const transcript = new Transcript()
    transcript.reconcile(values, { namespace: [], node: undefined, attempt: 1, seq: 0, at: 0 }, true)
    return messageItems(transcript.messages)
  }, [values])
  return (
    <VirtualFeed
      label="Conversation"
      count={items.length}
      keyOf={(index) => items[index]?.message.key ?? String(index)}
      row={(index) => {
        const item = items[index]
        return item ? <MessageCard message={item.message} version={itemVersion(item)} results={item.results} /> : null
      }}
      empty="No messages. See the State tab."
      isLive={isBusy}
    />
  )
}
