'use client'
import { useEffect, useState } from 'react'
import { count } from '@/lib/format/format'
import { subscribe } from '@/lib/live/client'
import type { InboxBrief } from '@/lib/stream/inbox'

/** How many threads wait for a person, as it changes; nothing while none does or it is not known. */
export function InboxCount({ workspace }: { workspace: string }) {
  const [seen, setSeen] = useState<{ workspace: string; brief: InboxBrief }>()
  useEffect(
    () =>
      subscribe(
        { kind: 'inbox', isBrief: true, workspace },
        // The server made it of its own list; its type is lost on the way.
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
        {isCut ? ' or more' : ''} waiting
      </span>
    </span>
  )
}
