import type { Column } from '@/components/shared/list/data-table'
import { RelativeTime } from '@/components/shared/text/relative-time'
import { VisibleText } from '@/components/shared/text/visible-text'
import type { Thread } from '@/lib/contracts/agents/threads'
import { shortId } from '@/lib/format/format'
import { ownMetadata, type ThreadRow, threadRow, type WorkspaceThread } from '@/lib/stream/thread-rows'
import { ThreadStatus } from './thread-status'

/** A row of a deployment's list. `name` tells equal titles apart for screen readers and in dialogs. */
export type ListedThread = ThreadRow & { name: string; thread: Thread }
export function rowOf(thread: Thread): ListedThread {
  const row = threadRow(thread)
  return { ...row, name: `${row.title} ${shortId(row.id)}`, thread }
}

const title: Column<ThreadRow> = {
  id: 'title',
  header: 'Thread',
  className: 'w-full max-w-0',
  cell: (row) => (
    <span title={row.title}>
      <VisibleText>{row.title}</VisibleText>
      {row.preview ? (
        <span className="ml-2 font-normal text-ink-3 max-sm:hidden">
          <VisibleText>{row.preview}</VisibleText>
        </span>
      ) : null}
      <span className="flex gap-2 font-normal text-ink-3 text-xs sm:hidden">
        {/* Its column is hidden there. */}
        <RelativeTime at={row.at} />
        <span className="truncate">
          <VisibleText>{row.preview ?? ''}</VisibleText>
        </span>
      </span>
    </span>
  ),
}
const status: Column<ThreadRow> = {
  id: 'status',
  header: 'Status',
  cell: (row) => <ThreadStatus status={row.status} />,
}
const changed: Column<ThreadRow> = {
  id: 'updated',
  header: 'Updated',
  from: 'sm',
  className: 'w-32 text-ink-2',
  cell: (row) => <RelativeTime at={row.at} />,
}
const Graph = ({ of }: { of: unknown }) => (
  <code className="font-mono text-ink-2 text-xs">{typeof of === 'string' ? of : '–'}</code>
)

export const threadColumns: Column<ListedThread>[] = [
  title,
  status,
  { id: 'graph', header: 'Graph', from: 'md', cell: ({ thread }) => <Graph of={thread.metadata.graph_id} /> },
  {
    id: 'metadata',
    header: 'Metadata',
    from: 'xl',
    cell: ({ thread }) => {
      const text = ownMetadata(thread.metadata)
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
    cell: ({ thread }) => <RelativeTime at={thread.created_at} />,
  },
  changed,
]

export const workspaceColumns: Column<WorkspaceThread>[] = [
  title,
  status,
  {
    id: 'deployment',
    header: 'Deployment',
    from: 'md',
    cell: ({ deploymentName: name }) => <span title={name}>{name}</span>,
  },
  { id: 'graph', header: 'Graph', from: 'lg', cell: ({ graph }) => <Graph of={graph} /> },
  changed,
]
