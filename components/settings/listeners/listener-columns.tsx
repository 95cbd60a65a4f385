import Link from 'next/link'
import type { Column } from '@/components/shared/list/data-table'
import { RelativeTime } from '@/components/shared/text/relative-time'
import { VisibleName, VisibleText } from '@/components/shared/text/visible-text'
import type { ListenerRow } from '@/lib/contracts/deployments/listener-row'
import { count } from '@/lib/format/format'
import { routes } from '@/lib/routes'
import { ListenerState } from './listener-state'

export const UNREAD = 'The deployments could not be read.'

export const columnsOf = (workspace: string): Column<ListenerRow>[] => [
  {
    id: 'name',
    header: 'Listener',
    className: 'w-full max-w-0',
    cell: ({ name }) => (
      <span className="block truncate">
        <VisibleName>{name}</VisibleName>
      </span>
    ),
  },
  { id: 'state', header: 'State', className: 'w-44', cell: (row) => <ListenerState {...row} /> },
  {
    id: 'deployments',
    header: 'Deployments',
    from: 'sm',
    className: 'w-64 max-w-64',
    cell: (row) => <Deployments workspace={workspace} row={row} />,
  },
  {
    id: 'namespaces',
    header: 'Namespaces',
    from: 'lg',
    className: 'w-44 max-w-44',
    cell: ({ namespaces }) => {
      const text = namespaces?.join(', ')
      return text ? (
        <span className="block truncate" title={text}>
          <VisibleText>{text}</VisibleText>
        </span>
      ) : (
        <span className="text-ink-3">–</span>
      )
    },
  },
  { id: 'type', header: 'Compute type', from: 'lg', className: 'w-28', cell: ({ type }) => type },
  {
    id: 'version',
    header: 'Version',
    from: 'xl',
    className: 'w-24',
    cell: ({ version }) =>
      version ?? (
        <span className="text-ink-3" title="It has not said its version.">
          –
        </span>
      ),
  },
  {
    id: 'created',
    header: 'Created',
    from: 'xl',
    className: 'w-28',
    cell: ({ createdAt }) => <RelativeTime at={createdAt} />,
  },
]

function Deployments({ workspace, row }: { workspace: string; row: ListenerRow }) {
  if (!row.deployments)
    return (
      <span className="text-ink-3" title={UNREAD}>
        –
      </span>
    )
  if (row.deploymentCount === 0) return <span className="text-ink-3">none</span>
  const more = row.deploymentCount - row.deployments.length
  return (
    <span className="flex items-center gap-2">
      {row.waitingCount > 0 ? <span className="text-warn">{count(row.waitingCount)} waiting</span> : null}
      <span className="truncate">
        {row.deployments.map(({ id, name }, index) => (
          <span key={id}>
            {index > 0 ? ', ' : ''}
            <Link prefetch={false} className="text-accent hover:underline" href={routes.deployment(workspace, id)}>
              <VisibleName>{name}</VisibleName>
            </Link>
          </span>
        ))}
        {more > 0 ? <span className="text-ink-3"> and {count(more)} more</span> : null}
      </span>
    </span>
  )
}
