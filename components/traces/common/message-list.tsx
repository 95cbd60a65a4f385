'use client'

import { useMemo, useState } from 'react'
import { MessageCard } from '@/components/shared/message/message-card'
import { itemVersion, messageItems } from '@/components/shared/message/message-items'
import { Button } from '@/components/ui/button'
import { count } from '@/lib/format/format'
import type { LoggedMessage } from './shown-messages'

/** The number of newest messages shown initially, and the number added per click. */
const SHOWN = 8
const MORE = 40

/** Logged messages as a conversation, with tool results at their calls. `isWhole` shows all messages. */
export function MessageList({
  messages,
  isWhole = false,
}: {
  messages: readonly LoggedMessage[]
  isWhole?: boolean | undefined
}) {
  const items = useMemo(() => messageItems(messages), [messages])
  const [shown, setShown] = useState(isWhole ? Number.POSITIVE_INFINITY : SHOWN)
  const folded = Math.max(0, items.length - shown)
  // The system message stays visible, because it explains all others.
  const head = folded > 0 && items[0]?.message.role === 'system' ? items.slice(0, 1) : []
  return (
    <div className="space-y-2">
      {head.map((item) => (
        <MessageCard key={item.message.key} message={item.message} version={itemVersion(item)} results={item.results} />
      ))}
      {folded > head.length ? (
        <Button variant="ghost" size="sm" className="w-full" onClick={() => setShown(shown + MORE)}>
          Show earlier messages ({count(folded - head.length)})
        </Button>
      ) : null}
      {items.slice(Math.max(folded, head.length)).map((item) => (
        <MessageCard key={item.message.key} message={item.message} version={itemVersion(item)} results={item.results} />
      ))}
    </div>
  )
}
