import { LateNotice } from '@/components/shared/feedback/late-notice'
import { MessagesSkeleton } from '@/components/shared/feedback/messages-skeleton'

/** Stands where the messages will be. */
export const ChatLoading = () => (
  <div role="status" aria-label="Loading" className="mx-auto w-full min-h-0 max-w-4xl flex-1 space-y-3 px-3 py-2">
    <MessagesSkeleton />
    <LateNotice />
  </div>
)
