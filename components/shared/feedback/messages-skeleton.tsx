import { Skeleton } from '@/components/ui/loading'
import { cn } from '@/lib/cn'

const MESSAGES = [
  { isHuman: true, lines: ['w-1/2'] },
  { isHuman: false, lines: ['w-11/12', 'w-4/5', 'w-2/3'] },
  { isHuman: true, lines: ['w-1/3'] },
  { isHuman: false, lines: ['w-5/6', 'w-3/5'] },
]

/** The layout of a conversation: questions and answers by turns. */
export const MessagesSkeleton = () =>
  MESSAGES.map(({ isHuman, lines }) => (
    <div
      key={lines.join()}
      className={cn(
        'space-y-2 rounded-lg border px-3 py-2.5',
        isHuman ? 'border-accent/25 bg-accent-soft/60' : 'bg-panel',
      )}
    >
      <Skeleton className="w-14" />
      {lines.map((width) => (
        <Skeleton key={width} className={width} />
      ))}
    </div>
  ))
