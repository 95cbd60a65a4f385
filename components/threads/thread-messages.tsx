'use client'

import { useMemo } from 'react'
import { MessageCard } from '@/components/shared/message-card'
import { itemVersion, messageItems } from '@/components/shared/message-items'
import { VirtualFeed } from '@/components/shared/virtual-feed'
import { Transcript } from '@/lib/stream/transcript'

/** The messages of a state as a conversation. */
export function ThreadMessages({ values, isBusy }: { values: unknown; isBusy: boolean }) {
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
      empty="This thread’s state has no messages. The State tab shows all of it."
      isLive={isBusy}
    />
  )
}
