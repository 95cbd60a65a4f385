'use client'
import { useLiveValue } from '@/components/shared/layout/use-live-query'
import { count } from '@/lib/format/format'
import type { InboxBrief } from '@/lib/stream/inbox'

/** The live number of threads that need input; empty when there are none or the number is unknown. */
export function InboxCount({ workspace }: { workspace: string }) {
  // Our own server sends an `InboxBrief`; the live channel types values as `unknown`.
  const brief = useLiveValue({ kind: 'inbox', isBrief: true, workspace }) as InboxBrief | undefined
  if (!brief || brief.threads === 0) return null
  const { threads, isCut } = brief
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
