'use client'
import { useQuery } from '@tanstack/react-query'
import { Download } from 'lucide-react'
import Link from 'next/link'
import { useState } from 'react'
import { EmptyState } from '@/components/shared/feedback/empty-state'
import { PageHeader } from '@/components/shared/layout/page-header'
import { ListPage } from '@/components/shared/list/list-page'
import { useList } from '@/components/shared/list/use-list'
import { Button } from '@/components/ui/button'
import { Menu, MenuItem, MenuLabel } from '@/components/ui/menu'
import { withBasePath } from '@/lib/base-path'
import type { AuditRow } from '@/lib/contracts/audit/audit-row'
import { EXPORT_CAP } from '@/lib/format/csv'
import { count } from '@/lib/format/format'
import { auditQuery } from '@/lib/queries/audit'
import { deploymentsQuery } from '@/lib/queries/deployments'
import { routes } from '@/lib/routes'
import { auditColumns } from './columns'
import { auditFilterOf, auditFilters, auditList, auditQueryOf } from './list-query'
import { RecordDialog } from './record-dialog'
import { type AuditReportShown, VerifyResult } from './verify-result'

/** `report`: the last verification, if there was one. */
type AuditPageProps = { workspace: string; report?: AuditReportShown }

/**
 * Every action and denied attempt in the workspace in a sentence, newest first, for administrators of the console also
 * those about accounts and the console: names of fields, never values.
 */
export function AuditPage({ workspace, report }: AuditPageProps) {
  const list = useList(auditList)
  const query = auditQueryOf(list.search)
  const options = auditQuery(workspace, query)
  const result = useQuery(options)
  const deployments = useQuery(deploymentsQuery(workspace, { limit: 100 })).data?.resources
  const [open, setOpen] = useState<AuditRow>()
  const { rows, next, names = NO_NAMES, hasConsole } = result.data ?? {}
  const filters = auditFilterOf(list.search)
  const isNarrowed = Object.keys(query).length > 0
  return (
    <ListPage
      label="Audit"
      header={
        <PageHeader
          title="Audit"
          actions={
            <Button asChild>
              {/* not prefetched: it reads the whole log */}
              <Link href={routes.audit(workspace, { ...query, verify: '1' })} prefetch={false}>
                Verify the log
              </Link>
            </Button>
          }
        >
          <p className="mt-1 max-w-2xl text-ink-2">
            Every change made with this console, in this workspace
            {hasConsole ? ' or to accounts and the console itself' : ''}, with its outcome, and every denied attempt.
            Field names are stored, values never.
            {hasConsole === false
              ? ' What concerns accounts and the console itself is shown to administrators of the console.'
              : ''}
          </p>
        </PageHeader>
      }
      list={list}
      filters={auditFilters(deployments, hasConsole ?? false)}
      verbs={<Export workspace={workspace} filters={filters} />}
      above={<VerifyResult report={report} />}
      reading={{ result, queryKey: options.queryKey }}
      rows={rows}
      columns={auditColumns({ workspace, names, onOpen: setOpen })}
      rowKey={({ seq }) => String(seq)}
      pendingRows={10}
      isNarrowed={isNarrowed}
      empty={<EmptyState title="Nothing recorded yet">Start a run or change a setting.</EmptyState>}
      pager={
        query.before || next ? (
          <nav aria-label="Pages" className="mt-3 flex justify-end gap-2">
            <Button size="sm" disabled={!query.before} onClick={() => list.set({ before: '' })}>
              Newest
            </Button>
            <Button size="sm" disabled={!next} onClick={() => list.set({ before: String(next ?? '') })}>
              Older
            </Button>
          </nav>
        ) : null
      }
    >
      {open ? <RecordDialog workspace={workspace} row={open} names={names} onClose={() => setOpen(undefined)} /> : null}
    </ListPage>
  )
}

const NO_NAMES = { deployments: {}, accounts: {} }

const FILES: [label: string, query: Record<string, string>][] = [
  ['CSV for Excel', { format: 'csv', bom: '1' }],
  ['CSV, plain', { format: 'csv', bom: '0' }],
  ['JSON Lines', { format: 'jsonl' }],
]

const Export = ({ workspace, filters }: { workspace: string; filters: Record<string, string> }) => (
  <Menu
    label="Export"
    trigger={
      <Button>
        <Download aria-hidden />
        Export
      </Button>
    }
  >
    {FILES.map(([label, format]) => (
      <MenuItem key={label} asChild>
        <a href={withBasePath(routes.auditFile(workspace, { ...filters, ...format }))} download>
          {label}
        </a>
      </MenuItem>
    ))}
    <MenuLabel>Everything that matches the filters, at most {count(EXPORT_CAP)} rows.</MenuLabel>
  </Menu>
)
