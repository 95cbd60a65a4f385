'use client'
import type { Route } from 'next'
import Link from 'next/link'
import { EmptyState } from '@/components/shared/feedback/empty-state'
import { PageHeader } from '@/components/shared/layout/page-header'
import { ListPage } from '@/components/shared/list/list-page'
import { Button } from '@/components/ui/button'
import { routes } from '@/lib/routes'
import { type AuditShown, auditColumns } from './columns'
import { type AuditReportShown, VerifyResult } from './verify-result'

type AuditPageProps = {
  workspace: string
  entries: AuditShown[]
  /** The `before` parameter of the next page. */
  next: number | null
  isFirst: boolean
  /** The result of the verification, if it was requested. */
  report?: AuditReportShown
}

const at = (workspace: string, query: Record<string, string>) =>
  `${routes.audit(workspace)}?${new URLSearchParams(query)}` as Route

/** Every change and denied attempt in the workspace, newest first: names of the fields sent, never values. */
export const AuditPage = ({ workspace, entries, next, isFirst, report }: AuditPageProps) => (
  <ListPage
    label="Audit"
    header={
      <PageHeader
        title="Audit"
        actions={
          <Button asChild>
            {/* not prefetched: it reads the whole log */}
            <Link href={at(workspace, { verify: '1' })} prefetch={false}>
              Verify the log
            </Link>
          </Button>
        }
      >
        <p className="mt-1 max-w-2xl text-ink-2">
          Every change and its outcome, and every denied attempt. Field names are stored, values never.
        </p>
      </PageHeader>
    }
    above={report ? <VerifyResult report={report} /> : null}
    rows={entries}
    columns={auditColumns}
    rowKey={(entry) => String(entry.seq)}
    empty={
      isFirst ? (
        <EmptyState title="Nothing recorded yet">Start a run or change a setting.</EmptyState>
      ) : (
        <EmptyState title="No older entries" />
      )
    }
    pager={
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
    }
  />
)
