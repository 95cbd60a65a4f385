import type { Column } from '@/components/shared/list/data-table'
import { RelativeTime } from '@/components/shared/text/relative-time'
import { VisibleText } from '@/components/shared/text/visible-text'
import type { Thread } from '@/lib/contracts/agents/threads'
import { shortId } from '@/lib/format/format'
import { ThreadStatus } from './thread-status'

export type ThreadRow = Thread & { id: string; name: string }
/** Rows with the `id` and label that lists need. */
export const rowOf = (thread: Thread): ThreadRow => ({ ...thread, id: thread.thread_id, name: thread.thread_id })

export const threadColumns: Column<ThreadRow>[] = [
  {
    id: 'id',
    header: 'Thread',
    cell: ({ id }) => (
      <code className="font-mono text-xs" title={id}>
        <span className="max-xl:hidden">{id}</span>
        <span aria-hidden className="xl:hidden">
          {shortId(id)}…
        </span>
        <span className="sr-only xl:hidden">{id}</span>
      </code>
    ),
  },
  { id: 'status', header: 'Status', cell: (one) => <ThreadStatus status={one.status} /> },
  {
    id: 'graph',
    header: 'Graph',
    from: 'md',
    cell: (one) => (
      <code className="font-mono text-ink-2 text-xs">
        {typeof one.metadata.graph_id === 'string' ? one.metadata.graph_id : '–'}
      </code>
    ),
  },
  {
    id: 'metadata',
    header: 'Metadata',
    from: 'lg',
    cell: (one) => {
      const text = metadataText(one.metadata)
      return (
        <span className="text-ink-3 text-xs" title={text}>
          <VisibleText>{text.slice(0, 120)}</VisibleText>
        </span>
      )
    },
  },
  {
    id: 'created',
    header: 'Created',
    from: 'lg',
    className: 'w-32 text-ink-2',
    cell: (one) => <RelativeTime at={one.created_at} />,
  },
  {
    id: 'updated',
    header: 'Updated',
    from: 'sm',
    className: 'w-32 text-ink-2',
    cell: (one) => <RelativeTime at={one.updated_at} />,
  },
]

const ELSEWHERE = new Set(['graph_id', 'assistant_id'])

/** User metadata in one line. Metadata set by the server has its own columns. */
const metadataText = (metadata: Thread['metadata']): string =>
  Object.entries(metadata)
    .filter(([key]) => !ELSEWHERE.has(key))
    .map(([key, value]) => `${key}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ')
