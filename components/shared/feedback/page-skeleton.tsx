'use client'
import { usePathname } from 'next/navigation'
import { Skeleton } from '@/components/ui/loading'
import { conversationBox } from '@/components/ui/styles'
import { MessagesSkeleton } from './messages-skeleton'

const CONVERSATION = /^\/[^/]+\/deployments\/[^/]+\/(chat(\/|$)|threads\/.)/

/** The layout of the page at the current path. */
export const PageSkeleton = () => (CONVERSATION.test(usePathname()) ? <ConversationSkeleton /> : <ListSkeleton />)

/** Most pages: a title, a row of filters, a table. */
const ListSkeleton = () => (
  <div role="status" aria-label="Loading">
    <Skeleton className="mt-1 mb-5 h-5 w-40" />
    <Skeleton className="mb-3 h-8 w-72 max-w-full rounded-md" />
    <div className="overflow-hidden rounded-lg border bg-panel">
      <div className="h-8 border-b bg-sunken" />
      {['w-1/4', 'w-1/3', 'w-1/5', 'w-2/5', 'w-1/6'].map((width) => (
        <div key={width} className="flex h-10 items-center gap-6 border-b px-3 last:border-b-0">
          <Skeleton className={width} />
          <Skeleton className="w-20" />
        </div>
      ))}
    </div>
  </div>
)

/** Chat and threads: the deployment and its tabs, the threads, and a conversation with its field. */
const ConversationSkeleton = () => (
  <div role="status" aria-label="Loading conversation" className="-mt-5">
    <div className="flex h-12 items-center max-sm:hidden">
      <Skeleton className="h-5 w-40" />
    </div>
    <div className="flex h-9 items-center gap-6 border-b">
      {['w-16', 'w-10', 'w-12', 'w-14'].map((width) => (
        <Skeleton key={width} className={width} />
      ))}
    </div>
    <div className={conversationBox}>
      <div className="w-60 space-y-4 border-r bg-panel p-4 max-md:hidden">
        {['w-4/5', 'w-3/5', 'w-2/3'].map((width) => (
          <Skeleton key={width} className={width} />
        ))}
      </div>
      <div className="flex min-w-0 flex-1 flex-col">
        <div className="flex h-11 shrink-0 items-center border-b bg-panel px-3">
          <Skeleton className="w-40" />
        </div>
        <div className="mx-auto w-full min-h-0 max-w-4xl flex-1 space-y-3 overflow-hidden px-3 py-2">
          <MessagesSkeleton />
        </div>
        <div className="mx-auto mb-3 h-24 w-[calc(100%-1.5rem)] max-w-4xl shrink-0 rounded-lg border bg-panel" />
      </div>
    </div>
  </div>
)
