'use client'
import dynamic from 'next/dynamic'
import { useState } from 'react'
import { EmptyState } from '@/components/shared/feedback/empty-state'
import { ConfirmDialog } from '@/components/shared/form/confirm-dialog'
import { useReasons } from '@/components/shared/layout/rights'
import { type Column, DataTable } from '@/components/shared/list/data-table'
import { usePages } from '@/components/shared/list/use-pages'
import { Badge, StatusBadge } from '@/components/ui/badge'
import { Button } from '@/components/ui/button'
import { deleteAlertRule } from '@/lib/actions/alerts'
import { type AlertRule, type AlertsView, describeRule } from '@/lib/contracts/alerts/alerts'
import { EditAndDelete, useReadAgain } from './parts'

const RuleDialog = dynamic(() => import('./rule-dialog').then((module) => module.RuleDialog), { ssr: false })

type Open = { kind: 'none' | 'add' } | { kind: 'edit' | 'delete'; rule: AlertRule }

type Row = AlertsView['rules'][number]

export function RulesTab({ workspace, data }: { workspace: string; data: AlertsView }) {
  const reason = useReasons().administer
  const readAgain = useReadAgain(workspace)
  const [open, setOpen] = useState<Open>({ kind: 'none' })
  const close = () => setOpen({ kind: 'none' })
  const channels = new Map(data.channels.map(({ id, name }) => [id, name]))
  const pages = usePages(data.rules, 'Search rules', (rule) => `${rule.name} ${describeRule(rule)}`)
  const columns: Column<Row>[] = [
    {
      id: 'name',
      header: 'Rule',
      className: 'w-full max-w-0',
      cell: (rule) => (
        <span className="block truncate" title={describeRule(rule)}>
          <span className="font-medium">{rule.name}</span> <span className="text-ink-2">{describeRule(rule)}</span>
        </span>
      ),
    },
    { id: 'state', header: 'State', className: 'w-32', cell: (rule) => <RuleState rule={rule} data={data} /> },
    {
      id: 'deployments',
      header: 'Watches',
      from: 'md',
      className: 'w-40',
      cell: ({ deployments }) =>
        deployments ? (
          <Badge title={deployments.join('\n')}>
            {deployments.length} {deployments.length === 1 ? 'deployment' : 'deployments'}
          </Badge>
        ) : (
          'all deployments'
        ),
    },
    {
      id: 'channels',
      header: 'Channels',
      from: 'md',
      className: 'w-52 max-w-52 truncate',
      cell: (rule) =>
        rule.channels.map((id) => channels.get(id) ?? 'deleted').join(', ') || <span className="text-ink-3">none</span>,
    },
    {
      id: 'actions',
      header: <span className="sr-only">Actions</span>,
      isAside: true,
      className: 'w-20 text-right',
      cell: (rule) => (
        <span className="inline-flex">
          <EditAndDelete
            name={rule.name}
            reason={reason}
            onEdit={() => setOpen({ kind: 'edit', rule })}
            onDelete={() => setOpen({ kind: 'delete', rule })}
          />
        </span>
      ),
    },
  ]
  return (
    <>
      <div className="mb-3">
        <Button variant="primary" reason={reason} onClick={() => setOpen({ kind: 'add' })}>
          Add rule
        </Button>
      </div>
      {pages.search}
      <DataTable
        label="Alert rules"
        columns={columns}
        rows={pages.rows}
        rowKey={({ id }) => id}
        empty={pages.noMatch ?? <EmptyState title="No rules yet">Rules are evaluated every 15 seconds.</EmptyState>}
      />
      {pages.pager}
      {open.kind === 'add' || open.kind === 'edit' ? (
        <RuleDialog
          workspace={workspace}
          rule={open.kind === 'edit' ? open.rule : undefined}
          channels={data.channels}
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
        title={`Delete ${open.kind === 'delete' ? open.rule.name : ''}?`}
        verb="Delete rule"
        action={() => deleteAlertRule({ workspace, id: open.kind === 'delete' ? open.rule.id : '' })}
        onDone={readAgain}
      >
        Its alerts end without a message. The history keeps them.
      </ConfirmDialog>
    </>
  )
}

function RuleState({ rule, data }: { rule: Row; data: AlertsView }) {
  if (!rule.isEnabled) return <StatusBadge tone="neutral">Off</StatusBadge>
  const own = data.states.filter((state) => state.rule === rule.id)
  const of = (phase: string) => own.filter((state) => state.phase === phase).length
  const unknown = own.filter(({ isUnknown }) => isUnknown).length
  if (of('firing') > 0) return <StatusBadge tone="error">{of('firing')} firing</StatusBadge>
  if (of('pending') > 0) return <StatusBadge tone="warn">{of('pending')} pending</StatusBadge>
  if (unknown > 0) return <StatusBadge tone="unknown">{unknown} unknown</StatusBadge>
  return rule.watched === 0 ? (
    <StatusBadge tone="unknown" title="Nothing was found to watch yet.">
      No data yet
    </StatusBadge>
  ) : (
    <StatusBadge tone="ok">Fine</StatusBadge>
  )
}
