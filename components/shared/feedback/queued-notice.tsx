import { Hourglass } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button } from '@/components/ui/button'
import { cn } from '@/lib/cn'
import { count } from '@/lib/format/format'

type Props = {
  queued: { place: { place: number; of: number }; cancel: () => void } | undefined
  className?: string
  /** What waiting and leaving mean, if it is not a single start that waits. */
  children?: ReactNode
  cancelLabel?: string
}

/** The place of a start that waits for a free stream. Nothing where none waits. */
export const QueuedNotice = ({ queued, className, children, cancelLabel = 'Cancel' }: Props) =>
  queued ? (
    <div
      role="status"
      className={cn('flex items-center gap-2.5 rounded-md border bg-sunken px-3 py-2 text-ink-2', className)}
    >
      <Hourglass aria-hidden className="size-4 shrink-0" />
      <p className="min-w-0 flex-1">
        Waiting for a free stream, place {count(queued.place.place)} of {count(queued.place.of)}.{' '}
        {children ?? 'Nothing was started yet; leaving this page cancels it.'}
      </p>
      <Button size="sm" onClick={queued.cancel}>
        {cancelLabel}
      </Button>
    </div>
  ) : null
