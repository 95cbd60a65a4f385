'use client'
import { useEffect, useState } from 'react'
import { count } from '@/lib/format/format'
import { subscribe } from '@/lib/live/client'
import type { InboxBrief } from '@/lib/stream/inbox'

/** The live number of threads that need input; empty when there are none or the number is unknown. */
export function InboxCount({ workspace }: { workspace: string }) {
  const [seen, setSeen] = useState<{ workspace: string; brief: InboxBrief }>()
  useEffect(
    () =>
      subscribe(
        { kind: 'inbox', isBrief: true, workspace },
        // Our own server sends an `InboxBrief`; the live channel types values as `unknown`.
        { onValue: (value) => setSeen({ workspace, brief: value as InboxBrief }) },
      ),
    [workspace],
  )
  if (seen?.workspace !== workspace || seen.brief.threads === 0) return null
  const { threads, isCut } = seen.brief
  return (
    <span className="ml-auto rounded-full bg-accent-soft px-1.5 text-2xs text-accent tabular-nums">
      <span aria-hidden>
        {count(threads)}
        {isCut ? '+' : ''}
      </span>
      <span className="sr-only">
        , {count(threads)}
        {isCut ? ' or more' : ''} need input
      </span>
    </span>
  )
}
