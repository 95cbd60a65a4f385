'use client'

import { useEffect, useState } from 'react'
import { messageText } from '@/lib/stream/messages'
import { runStatus } from '@/lib/stream/run-status'
import { messagesOf } from '@/lib/stream/run-view'
import type { RunStore } from './run-store'

const EVERY_MS = 5_000
const MOST_CHARACTERS = 600

type Props = { store: RunStore; isStateless?: boolean }

/** Announces progress to screen readers every few seconds, because announcing each token would interrupt itself. */
export function LiveAnnouncer({ store, isStateless = false }: Props) {
  const [said, setSaid] = useState('')
  useEffect(() => {
    let seen = store.view.seq
    const timer = setInterval(() => {
      if (store.view.seq === seen) return
      seen = store.view.seq
      setSaid(newsOf(store, isStateless))
      if (store.view.phase === 'ended') clearInterval(timer)
    }, EVERY_MS)
    return () => clearInterval(timer)
  }, [store, isStateless])
  return (
    <div role="status" aria-live="polite" className="sr-only">
      {said}
    </div>
  )
}

function newsOf(store: RunStore, isStateless: boolean): string {
  const { view } = store
  if (store.endsEarly) return 'The recording ends before the run.'
  const last = messagesOf(view).findLast((message) => message.role === 'ai' && !message.isRemoved)
  const text = last ? messageText(last) : ''
  if (!view.final) {
    const tools = last?.toolCalls.map(({ name }) => name).filter(Boolean) ?? []
    if (text !== '') return `The assistant is writing, ${text.length} characters so far.`
    return tools.length > 0 ? `The assistant is calling ${tools.join(', ')}.` : 'Running.'
  }
  const status = runStatus({ phase: 'ended', outcome: view.final.outcome, isStateless, view })
  return `Run ${status.label.toLowerCase()}. ${text.slice(0, MOST_CHARACTERS)}`
}
