'use client'
import { useQuery } from '@tanstack/react-query'
import Link from 'next/link'
import { ErrorNotice, useTryAgain } from '@/components/shared/feedback/error-notice'
import { LateNotice } from '@/components/shared/feedback/late-notice'
import { STALE_STYLE, StaleNotice, staleOf } from '@/components/shared/feedback/stale-notice'
import { Panel } from '@/components/shared/layout/panel'
import { RelativeTime } from '@/components/shared/text/relative-time'
import { Skeleton } from '@/components/ui/loading'
import type { RecentChanges as RecentChangesData } from '@/lib/contracts/audit/audit-row'
import { AUDIT_OUTCOMES } from '@/lib/contracts/audit/sentence'
import { recentChangesQuery } from '@/lib/queries/audit'
import { routes } from '@/lib/routes'
import { AuditSentence } from './sentence'

/** The newest changes made with this console, in sentences. Only administrators can open the whole trail. */
export function RecentChanges({ workspace, canOpenAudit }: { workspace: string; canOpenAudit: boolean }) {
  const options = recentChangesQuery(workspace)
  const result = useQuery(options)
  const retry = useTryAgain(options.queryKey)
  const { data } = result
  const error = result.error ?? result.failureReason
  const stale = staleOf({ ...result, error }, undefined)
  return (
    <Panel title="Recent changes" action={canOpenAudit ? <Link href={routes.audit(workspace)}>Audit</Link> : null}>
      {stale ? <StaleNotice {...stale} onRetry={retry} /> : null}
      {data ? (
        <Changes workspace={workspace} data={data} className={stale ? STALE_STYLE : undefined} />
      ) : error ? (
        <ErrorNotice error={error.view} onRetry={retry} />
      ) : (
        <>
          <Skeleton className="w-2/3" />
          <LateNotice />
        </>
      )}
    </Panel>
  )
}

type ChangesProps = { workspace: string; data: RecentChangesData; className?: string }

const Changes = ({ workspace, data: { rows, names }, className }: ChangesProps) =>
  rows.length === 0 ? (
    <p className="text-ink-2">No recent changes to deployments, assistants or crons through this console.</p>
  ) : (
    <ul className={className}>
      {rows.map((row) => (
        <li key={row.seq} className="py-1">
          <AuditSentence workspace={workspace} row={row} names={names} />
          <span className="ml-2 text-ink-3 text-xs">
            <RelativeTime at={row.at} />
            {row.outcome === 'unknown' ? `, ${AUDIT_OUTCOMES.unknown.toLowerCase()}` : null}
          </span>
        </li>
      ))}
    </ul>
  )
