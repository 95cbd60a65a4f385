'use client'
import { useQuery } from '@tanstack/react-query'
import Link from 'next/link'
import { EmptyState } from '@/components/shared/feedback/empty-state'
import { ErrorNotice, useTryAgain } from '@/components/shared/feedback/error-notice'
import { STALE_STYLE, StaleNotice, staleOf } from '@/components/shared/feedback/stale-notice'
import { useReasons } from '@/components/shared/layout/rights'
import { IdChip } from '@/components/shared/text/id-chip'
import { KeyValues } from '@/components/shared/text/key-values'
import { RelativeTime } from '@/components/shared/text/relative-time'
import { VisibleName } from '@/components/shared/text/visible-text'
import { Button } from '@/components/ui/button'
import { Dialog } from '@/components/ui/dialog'
import { Skeleton } from '@/components/ui/loading'
import { isOwnListener, type ListenerRow } from '@/lib/contracts/deployments/listener-row'
import { count } from '@/lib/format/format'
import { listenerRowsQuery } from '@/lib/queries/listeners'
import { routes } from '@/lib/routes'
import { UNREAD } from './listener-columns'
import { ListenerState, StateSentence } from './listener-state'

export type Task = 'namespaces' | 'token' | 'revoke' | 'delete'

type Props = {
  workspace: string
  id: string
  /** What the list knows of it. */
  listed: ListenerRow | undefined
  onTask: (task: Task, row: ListenerRow) => void
  onClose: () => void
}

/** One listener: its state, its deployments and what can be done with it. */
export function ListenerSheet({ workspace, id, listed, onTask, onClose }: Props) {
  const options = listenerRowsQuery(workspace, { id, limit: 1, offset: 0 })
  const result = useQuery({ ...options, placeholderData: undefined })
  const retry = useTryAgain(options.queryKey)
  const row = result.data ? result.data.rows[0] : listed
  const error = result.error ?? result.failureReason
  const stale = staleOf(result)
  return (
    <Dialog open onOpenChange={onClose} side="right" title={row?.name ?? 'Listener'}>
      {stale ? <StaleNotice {...stale} onRetry={retry} /> : null}
      {row ? (
        <div className={stale && STALE_STYLE}>
          <Facts workspace={workspace} row={row} onTask={onTask} />
        </div>
      ) : error ? (
        <ErrorNotice error={error.view} onRetry={retry} />
      ) : result.isPending ? (
        <Skeleton className="h-40 w-full" />
      ) : (
        <EmptyState title="No such listener">It was deleted, or belongs to another workspace.</EmptyState>
      )}
    </Dialog>
  )
}

type FactsProps = Pick<Props, 'workspace' | 'onTask'> & { row: ListenerRow }

function Facts({ workspace, row, onTask }: FactsProps) {
  return (
    <>
      <ListenerState {...row} />
      <p className="mt-1 text-ink-2" aria-live="polite">
        <StateSentence {...row} />
      </p>
      {isOwnListener(row) ? null : <Verbs row={row} onTask={onTask} />}
      <h3 className="mt-5 mb-2 font-medium">Deployments{row.deployments ? ` (${count(row.deploymentCount)})` : ''}</h3>
      <Deployments workspace={workspace} row={row} />
      <h3 className="mt-5 mb-2 font-medium">Details</h3>
      <KeyValues
        items={[
          ['ID', <IdChip key="id" id={row.id} what="listener ID" isWhole />],
          ['Compute type', row.type],
          ['Namespaces', row.namespaces?.join(', ')],
          ['Version', row.version ?? 'unknown'],
          ['Created', row.createdAt && <RelativeTime key="created" at={row.createdAt} />],
        ]}
      />
    </>
  )
}

function Verbs({ row, onTask }: Omit<FactsProps, 'workspace'>) {
  const reason = useReasons().administer
  const verb = (task: Task, label: string, why = reason) => (
    <Button
      size="sm"
      variant={task === 'delete' ? 'danger' : 'secondary'}
      reason={why}
      onClick={() => onTask(task, row)}
    >
      {label}
    </Button>
  )
  const isUsed = row.deploymentCount > 0 ? 'Its deployments, listed below, have to be deleted first.' : undefined
  const isRevoked = row.connection?.token === 'revoked' ? 'Its token is revoked already.' : undefined
  return (
    <>
      <div className="mt-4 flex flex-wrap gap-2">
        {verb('namespaces', 'Edit namespaces')}
        {row.connection ? verb('token', 'New token') : null}
        {row.connection ? verb('revoke', 'Revoke token', reason ?? isRevoked) : null}
        {verb('delete', 'Delete listener', reason ?? isUsed)}
      </div>
      {row.connection ? null : (
        <p className="mt-2 text-ink-3 text-xs">
          This control plane gives listeners no tokens, so there are none to renew or revoke.
        </p>
      )}
      {isUsed && !reason ? (
        <p className="mt-2 text-ink-3 text-xs">To delete it, delete its deployments first.</p>
      ) : null}
    </>
  )
}

function Deployments({ workspace, row: { deployments, deploymentCount } }: { workspace: string; row: ListenerRow }) {
  if (!deployments) return <p className="text-ink-2">Unknown. {UNREAD}</p>
  if (deploymentCount === 0) return <p className="text-ink-2">None. New deployments of images can choose it.</p>
  const more = deploymentCount - deployments.length
  return (
    <ul className="flex flex-col gap-1">
      {deployments.map(({ id, name, isWaiting }) => (
        <li key={id} className="flex items-center gap-2">
          <Link
            prefetch={false}
            className="truncate text-accent hover:underline"
            href={routes.deployment(workspace, id)}
          >
            <VisibleName>{name}</VisibleName>
          </Link>
          {isWaiting ? <span className="shrink-0 text-warn text-xs">its roll-out waits</span> : null}
        </li>
      ))}
      {more > 0 ? <li className="text-ink-3">and {count(more)} more</li> : null}
    </ul>
  )
}
