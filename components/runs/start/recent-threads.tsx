'use client'

import { useQuery } from '@tanstack/react-query'
import { LateSkeleton } from '@/components/shared/feedback/late-notice'
import { RelativeTime } from '@/components/shared/text/relative-time'
import { VisibleText } from '@/components/shared/text/visible-text'
import { cn } from '@/lib/cn'
import { shortId } from '@/lib/format/format'
import { LIGHT_COLUMNS, threadsQuery } from '@/lib/queries/threads'
import { threadStatus } from '@/lib/stream/run-status'
import { THREAD_EXTRACT, threadRow, UNTITLED } from '@/lib/stream/thread-rows'

type Props = { workspace: string; deploymentId: string; chosen: string; onChoose: (id: string) => void }

const NEWEST = { limit: 6, sort_by: 'updated_at', sort_order: 'desc', select: LIGHT_COLUMNS } as const

/** Recently updated threads to choose from. */
export function RecentThreads({ workspace, deploymentId, chosen, onChoose }: Props) {
  const rich = useQuery(threadsQuery(workspace, deploymentId, { ...NEWEST, extract: THREAD_EXTRACT }))
  // Some servers reject a search that extracts messages.
  const isPlain = rich.error?.code === 'invalid' || rich.error?.code === 'unsupported'
  const plain = useQuery({ ...threadsQuery(workspace, deploymentId, NEWEST), enabled: isPlain })
  const list = isPlain ? plain : rich
  if (list.isPending) return <LateSkeleton className="h-16 w-full" />
  // An id can still be typed, and the threads page shows the server's error.
  if (list.error) return <p className="text-ink-3 text-xs">Recent threads could not be loaded.</p>
  if (list.data.length === 0) return <p className="text-ink-3 text-xs">No threads yet</p>
  return (
    <ul aria-label="Recent threads" className="divide-y rounded-md border">
      {list.data.map((one) => {
        const { title } = threadRow(one)
        return (
          <li key={one.thread_id}>
            <button
              type="button"
              aria-pressed={one.thread_id === chosen}
              title={one.thread_id}
              onClick={() => onChoose(one.thread_id)}
              className={cn(
                'flex w-full items-center gap-3 px-2.5 py-1 text-left text-xs hover:bg-hover',
                one.thread_id === chosen && 'bg-accent-soft',
              )}
            >
              <span className="min-w-0 flex-1 truncate">
                <VisibleText>{title}</VisibleText>{' '}
                {title === UNTITLED ? <code className="font-mono">{shortId(one.thread_id)}</code> : null}{' '}
                <span className="ml-1 text-ink-2">
                  {typeof one.metadata.graph_id === 'string' ? one.metadata.graph_id : ''}
                </span>
              </span>
              <span className="text-ink-3">{threadStatus(one.status).label}</span>
              <span className="text-ink-3">
                <RelativeTime at={one.updated_at} />
              </span>
            </button>
          </li>
        )
      })}
    </ul>
  )
}
