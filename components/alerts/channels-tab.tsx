'use client'
import dynamic from 'next/dynamic'
import { useState } from 'react'
import { EmptyState } from '@/components/shared/feedback/empty-state'
import { ConfirmDialog } from '@/components/shared/form/confirm-dialog'
import { useReasons } from '@/components/shared/layout/rights'
import { type Column, DataTable } from '@/components/shared/list/data-table'
import { RelativeTime } from '@/components/shared/text/relative-time'
import { Badge, StatusBadge } from '@/components/ui/badge'
import { Button } from '@/components/ui/button'
import { toast } from '@/components/ui/toast'
import { deleteAlertChannel, testAlertChannel } from '@/lib/actions/alerts'
import { type AlertChannel, type AlertDelivery, type AlertsView, CHANNEL_KINDS } from '@/lib/contracts/alerts/alerts'
import { EditAndDelete, useReadAgain } from './parts'

const ChannelDialog = dynamic(() => import('./channel-dialog').then((module) => module.ChannelDialog), { ssr: false })

type Open = { kind: 'none' | 'add' } | { kind: 'edit' | 'delete'; channel: AlertChannel }

/** Where alerts are sent, and what was sent. */
export function ChannelsTab({ workspace, data }: { workspace: string; data: AlertsView }) {
  const reason = useReasons().administer
  const readAgain = useReadAgain(workspace)
  const [open, setOpen] = useState<Open>({ kind: 'none' })
  const [testing, setTesting] = useState<string>()
  const close = () => setOpen({ kind: 'none' })

  async function test({ id, name }: AlertChannel) {
    setTesting(id)
    const sent = await testAlertChannel({ workspace, id })
    setTesting(undefined)
    readAgain()
    if (!sent.ok) toast.warning(sent.error.message)
    else if (sent.data.status === 'delivered') toast.success(`Sent a test message to ${name}`)
    else toast.warning(sent.data.problem ?? 'The test message was not sent.')
  }
  const columns: Column<AlertChannel>[] = [
    {
      id: 'name',
      header: 'Channel',
      className: 'w-full max-w-0',
      cell: ({ name, target }) => (
        <span className="block truncate" title={target}>
          <span className="font-medium">{name}</span> <span className="text-ink-2">{target}</span>
        </span>
      ),
    },
    { id: 'kind', header: 'Kind', from: 'sm', className: 'w-48', cell: ({ kind }) => CHANNEL_KINDS[kind] },
    {
      id: 'actions',
      header: <span className="sr-only">Actions</span>,
      isAside: true,
      className: 'w-44 whitespace-nowrap text-right',
      cell: (channel) => (
        <span className="inline-flex items-center">
          <Button size="sm" reason={reason} isBusy={testing === channel.id} onClick={() => void test(channel)}>
            Send test
          </Button>
          <EditAndDelete
            name={channel.name}
            reason={reason}
            onEdit={() => setOpen({ kind: 'edit', channel })}
            onDelete={() => setOpen({ kind: 'delete', channel })}
          />
        </span>
      ),
    },
  ]
  return (
    <>
      <div className="mb-3">
        <Button variant="primary" reason={reason} onClick={() => setOpen({ kind: 'add' })}>
          Add channel
        </Button>
      </div>
      <DataTable
        label="Alert channels"
        columns={columns}
        rows={data.channels}
        rowKey={({ id }) => id}
        empty={<EmptyState title="No channels yet">Add a webhook, a chat service or e-mail.</EmptyState>}
      />
      <section aria-labelledby="deliveries" className="mt-8">
        <h2 id="deliveries" className="mb-3 font-medium text-ink">
          Deliveries
        </h2>
        <DataTable
          label="Deliveries"
          columns={DELIVERIES}
          rows={data.deliveries}
          rowKey={({ id }) => id}
          empty={<EmptyState title="Nothing sent yet">Messages of the last 30 days are listed here.</EmptyState>}
        />
      </section>
      {open.kind === 'add' || open.kind === 'edit' ? (
        <ChannelDialog
          workspace={workspace}
          channel={open.kind === 'edit' ? open.channel : undefined}
          mailProblem={data.mailProblem}
          onClose={close}
          onSaved={() => {
            close()
            readAgain()
          }}
        />
      ) : null}
      <ConfirmDialog
        open={open.kind === 'delete'}
        onOpenChange={close}
        title={`Delete ${open.kind === 'delete' ? open.channel.name : ''}?`}
        verb="Delete channel"
        action={() => deleteAlertChannel({ workspace, id: open.kind === 'delete' ? open.channel.id : '' })}
        onDone={readAgain}
      >
        It is taken out of all rules. Messages that wait for it are not sent, and its deliveries are removed.
      </ConfirmDialog>
    </>
  )
}

const DELIVERIES: Column<AlertDelivery>[] = [
  {
    id: 'status',
    header: 'Status',
    className: 'w-32',
    cell: ({ status, attempts }) => {
      if (status === 'delivered') return <StatusBadge tone="ok">Delivered</StatusBadge>
      if (status === 'failed') return <StatusBadge tone="error">Failed</StatusBadge>
      return (
        <StatusBadge tone={attempts > 0 ? 'warn' : 'progress'}>{attempts > 0 ? 'Retrying' : 'Waiting'}</StatusBadge>
      )
    },
  },
  {
    id: 'subject',
    header: 'Message',
    className: 'w-full max-w-0',
    cell: ({ subject, problem, isTest, nextAt, attempts }) => (
      <span className="block truncate" title={problem ?? undefined}>
        {subject} {isTest ? <Badge>test</Badge> : null}{' '}
        {problem ? (
          <span className="text-error">
            {problem}
            {nextAt && attempts > 0 ? (
              <>
                {' '}
                Next attempt <RelativeTime at={nextAt} />.
              </>
            ) : null}
          </span>
        ) : null}
      </span>
    ),
  },
  {
    id: 'channel',
    header: 'Channel',
    from: 'sm',
    className: 'w-40 max-w-40 truncate',
    cell: ({ channelName }) => channelName,
  },
  { id: 'attempts', header: 'Attempts', from: 'md', className: 'w-24', cell: ({ attempts }) => attempts },
  { id: 'at', header: 'Created', className: 'w-28', cell: ({ createdAt }) => <RelativeTime at={createdAt} /> },
]
