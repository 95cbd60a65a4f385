'use client'
import type { Route } from 'next'
import Link from 'next/link'
import { EmptyState } from '@/components/shared/feedback/empty-state'
import { PageHeader } from '@/components/shared/layout/page-header'
import { DataTable } from '@/components/shared/list/data-table'
import { Button } from '@/components/ui/button'
import { routes } from '@/lib/routes'
import { type AuditShown, auditColumns } from './columns'
import { type AuditReportShown, VerifyResult } from './verify-result'

type AuditPageProps = {
  workspace: string
  entries: AuditShown[]
  /** The `before` of the page that follows. */
  next: number | null
  isFirst: boolean
  /** Of the check, where it was asked for. */
  report?: AuditReportShown
}

const at = (workspace: string, query: Record<string, string>) =>
  `${routes.audit(workspace)}?${new URLSearchParams(query)}` as Route

/** Every write and every denial of the workspace, newest first: names of what was sent, never values. */
export const AuditPage = ({ workspace, entries, next, isFirst, report }: AuditPageProps) => (
  <>
    <PageHeader
      title="Audit"
      actions={
        <Button asChild>
          {/* not ahead of time: it reads the whole trail */}
          <Link href={at(workspace, { verify: '1' })} prefetch={false}>
            Verify the trail
          </Link>
        </Button>
      }
    >
      <p className="mt-1 max-w-2xl text-ink-2">
        Each write leaves what was meant before it is sent, and what came of it; each refusal leaves a denial. Names of
        fields are kept, values never.
      </p>
    </PageHeader>
    {report ? <VerifyResult report={report} /> : null}
    <DataTable
      label="Audit"
      columns={auditColumns}
      rows={entries}
      rowKey={(entry) => String(entry.seq)}
      empty={
        isFirst ? (
          <EmptyState title="Nothing recorded yet">Start a run or change a setting: both appear here.</EmptyState>
        ) : (
          <EmptyState title="Nothing older">The trail of this workspace begins after this point.</EmptyState>
        )
      }
    />
    <nav aria-label="Pages" className="mt-3 flex justify-end gap-2">
      {isFirst ? null : (
        <Button asChild size="sm">
          <Link href={routes.audit(workspace)}>Newest</Link>
        </Button>
      )}
      {next ? (
        <Button asChild size="sm">
          <Link href={at(workspace, { before: String(next) })}>Older</Link>
        </Button>
      ) : null}
    </nav>
  </>
)
