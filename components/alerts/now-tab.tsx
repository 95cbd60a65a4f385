'use client'
import { EmptyState } from '@/components/shared/feedback/empty-state'
import { useReasons } from '@/components/shared/layout/rights'
import { type Column, DataTable } from '@/components/shared/list/data-table'
import { usePages } from '@/components/shared/list/use-pages'
import { RelativeTime } from '@/components/shared/text/relative-time'
import { VisibleText } from '@/components/shared/text/visible-text'
import { Button } from '@/components/ui/button'
import { toast } from '@/components/ui/toast'
import { endAlertSilence } from '@/lib/actions/alerts'
import type { AlertState, AlertsView } from '@/lib/contracts/alerts/alerts'
import { PhaseBadge, Subject, useReadAgain } from './parts'

type Props = { workspace: string; data: AlertsView; onRules: () => void }

/** What fires, what is about to, and what is not known. */
export function NowTab({ workspace, data, onRules }: Props) {
  const { administer } = useReasons()
  const names = new Map(data.rules.map(({ id, name }) => [id, name]))
  const columns: Column<AlertState>[] = [
    { id: 'state', header: 'State', className: 'w-40', cell: (state) => <PhaseBadge {...state} /> },
    {
      id: 'subject',
      header: 'Subject',
      className: 'w-48 max-w-48',
      cell: (state) => (
        <span className="block truncate">
          <Subject workspace={workspace} {...state} />
          <span className="block truncate text-ink-2 text-xs md:hidden">{names.get(state.rule)}</span>
        </span>
      ),
    },
    {
      id: 'detail',
      header: 'Detail',
      className: 'w-full max-w-0 text-ink-2',
      from: 'sm',
      cell: ({ detail }) => (
        <span className="block truncate" title={detail}>
          <VisibleText>{detail}</VisibleText>
        </span>
      ),
    },
    {
      id: 'rule',
      header: 'Rule',
      from: 'md',
      className: 'w-44 max-w-44 truncate',
      cell: ({ rule }) => names.get(rule) ?? '–',
    },
    { id: 'since', header: 'Since', className: 'w-28', cell: ({ since }) => <RelativeTime at={since} /> },
  ]
  const pages = usePages(
    data.states,
    'Search what fires',
    ({ name, detail, rule }) => `${name} ${detail} ${names.get(rule) ?? ''}`,
  )
  const empty =
    data.rules.length === 0 ? (
      <EmptyState title="No rules yet" action={administer ? null : <Button onClick={onRules}>Open rules</Button>}>
        {administer ? 'Ask an administrator to add one' : 'Add a rule'} to be told when a deployment fails.
      </EmptyState>
    ) : data.rules.some(({ isEnabled, watched }) => isEnabled && watched === 0) ? (
      <EmptyState title="No data for some rules yet">
        Nothing else is firing. Rules are evaluated every 15 seconds.
      </EmptyState>
    ) : (
      <EmptyState title="Nothing is firing">All that the rules watch was read and is fine.</EmptyState>
    )
  return (
    <>
      <Silences workspace={workspace} data={data} names={names} />
      {pages.search}
      <DataTable
        label="Alerts now"
        columns={columns}
        rows={pages.rows}
        rowKey={({ rule, subject }) => `${rule} ${subject}`}
        empty={pages.noMatch ?? empty}
      />
      {pages.pager}
    </>
  )
}

function Silences({ workspace, data, names }: { workspace: string; data: AlertsView; names: Map<string, string> }) {
  const reason = useReasons().run
  const readAgain = useReadAgain(workspace)
  const end = async (id: string) => {
    const ended = await endAlertSilence({ workspace, id })
    if (!ended.ok) toast.warning(ended.error.message)
    readAgain()
  }
  if (data.silences.length === 0) return null
  return (
    <ul aria-label="Silences" className="mb-3 flex flex-col gap-1 rounded-md border bg-panel px-3 py-2">
      {data.silences.map((one) => (
        <li key={one.id} className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <span className="min-w-0 flex-1 break-words">
            <span className="font-medium">Silenced:</span>{' '}
            {one.rule === null ? 'all rules' : (names.get(one.rule) ?? one.rule)}
            {one.deployment === null ? '' : `, ${nameOf(data, one.deployment)}`} · ends <RelativeTime at={one.until} />
            <span className="text-ink-2">
              {' · '}
              {one.by}
              {one.reason ? ': ' : ''}
              <VisibleText>{one.reason}</VisibleText>
            </span>
          </span>
          <Button size="sm" reason={reason} onClick={() => void end(one.id)}>
            End silence
          </Button>
        </li>
      ))}
    </ul>
  )
}

const nameOf = ({ states, events }: AlertsView, deployment: string) =>
  [...states, ...events].find((one) => one.deployment === deployment)?.name ?? deployment
