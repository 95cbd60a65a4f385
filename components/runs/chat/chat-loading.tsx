import { LateNotice } from '@/components/shared/feedback/late-notice'
import { Skeleton } from '@/components/ui/loading'

/** Stands where the messages will be. */
export const ChatLoading = () => (
  <div role="status" aria-label="Loading" className="mx-auto w-full min-h-0 max-w-4xl flex-1 space-y-3 p-4">
    {['w-2/3', 'w-1/2', 'w-3/4', 'w-1/3'].map((width) => (
      <Skeleton key={width} className={`h-4 ${width}`} />
    ))}
    <LateNotice />
  </div>
)
