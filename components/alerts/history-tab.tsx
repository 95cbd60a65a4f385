'use client'
import { EmptyState } from '@/components/shared/feedback/empty-state'
import { type Column, DataTable } from '@/components/shared/list/data-table'
import { usePages } from '@/components/shared/list/use-pages'
import { RelativeTime } from '@/components/shared/text/relative-time'
import { VisibleText } from '@/components/shared/text/visible-text'
import { Badge, StatusBadge } from '@/components/ui/badge'
import type { AlertEvent, AlertsView } from '@/lib/contracts/alerts/alerts'
import { Subject } from './parts'

/** What fired and was resolved, newest first. */
export function HistoryTab({ workspace, data }: { workspace: string; data: AlertsView }) {
  const pages = usePages(
    data.events,
    'Search in history',
    (one) => `${one.name} ${one.ruleName} ${one.event} ${one.detail}`,
  )
  const columns: Column<AlertEvent>[] = [
    {
      id: 'event',
      header: 'Event',
      className: 'w-32',
      cell: ({ event }) =>
        event === 'fired' ? (
          <StatusBadge tone="error">Fired</StatusBadge>
        ) : (
          <StatusBadge tone="ok">Resolved</StatusBadge>
        ),
    },
    {
      id: 'subject',
      header: 'Subject',
      className: 'w-48 max-w-48',
      cell: (event) => (
        <span className="block truncate">
          <Subject workspace={workspace} {...event} />
          <span className="block truncate text-ink-2 text-xs md:hidden">{event.ruleName}</span>
        </span>
      ),
    },
    {
      id: 'detail',
      header: 'Detail',
      from: 'sm',
      className: 'w-full max-w-0 text-ink-2',
      cell: ({ detail, isSilenced }) => (
        <span className="block truncate" title={detail}>
          {isSilenced ? <Badge title="A silence applied.">silenced</Badge> : null} <VisibleText>{detail}</VisibleText>
        </span>
      ),
    },
    { id: 'rule', header: 'Rule', from: 'md', className: 'w-44 max-w-44 truncate', cell: ({ ruleName }) => ruleName },
    { id: 'at', header: 'When', className: 'w-28', cell: ({ at }) => <RelativeTime at={at} /> },
  ]
  return (
    <>
      {pages.search}
      <DataTable
        label="History"
        columns={columns}
        rows={pages.rows}
        rowKey={({ id }) => id}
        empty={pages.noMatch ?? <EmptyState title="No alerts yet">What fires is kept here for 30 days.</EmptyState>}
      />
      {pages.pager}
      {data.events.length >= 200 ? <p className="mt-2 text-ink-3 text-xs">The newest 200 are listed.</p> : null}
    </>
  )
}
