import type { Route } from 'next'
import Link from 'next/link'
import { EmptyState } from '@/components/shared/empty-state'
import { PageHeader } from '@/components/shared/page-header'
import { RelativeTime } from '@/components/shared/relative-time'
import { StatusBadge, type Tone } from '@/components/ui/badge'
import { Button } from '@/components/ui/button'
import { CopyButton } from '@/components/ui/copy-button'
import { routes } from '@/lib/routes'

export type AuditShown = {
  seq: number
  at: string
  kind: 'intent' | 'outcome' | 'denial'
  actor: string
  role: string | null
  operation: string
  params: Record<string, string>
  fields: string[]
  upstreamStatus: number | null
  outcome: string | null
  requestId: string
}

const toneOf = ({ kind, outcome }: AuditShown): Tone =>
  kind === 'denial' ? 'error' : kind === 'intent' ? 'neutral' : outcome === 'done' ? 'ok' : 'warn'

type AuditPageProps = { workspace: string; entries: AuditShown[]; next: number | null }

/** Every write and every denial of the workspace, newest first: names of what was sent, never values. */
export const AuditPage = ({ workspace, entries, next }: AuditPageProps) => (
  <>
    <PageHeader title="Audit">
      <p className="mt-1 text-ink-2">
        Intent and outcome of each write, and each denial. The rows are chained;{' '}
        <code className="font-mono text-xs">npm run audit:verify</code> on the server checks the chain.
      </p>
    </PageHeader>
    {entries.length === 0 ? (
      <div className="rounded-lg border bg-panel">
        <EmptyState title="Nothing recorded yet">Start a run or change a setting: both appear here.</EmptyState>
      </div>
    ) : (
      <div className="overflow-x-auto rounded-lg border bg-panel">
        <table aria-label="Audit" className="w-full text-left">
          <thead>
            <tr className="border-b bg-sunken/60 text-ink-3 text-xs [&>th]:h-8 [&>th]:px-3 [&>th]:font-medium">
              <th>#</th>
              <th>When</th>
              <th>What</th>
              <th>Who</th>
              <th>Operation</th>
              <th>On</th>
              <th>Fields</th>
              <th>Request</th>
            </tr>
          </thead>
          <tbody>
            {entries.map((entry) => (
              <tr key={entry.seq} className="border-b align-top last:border-b-0 [&>td]:px-3 [&>td]:py-2">
                <td className="text-ink-3">{entry.seq}</td>
                <td className="text-ink-2">
                  <RelativeTime at={entry.at} />
                </td>
                <td>
                  <StatusBadge tone={toneOf(entry)}>
                    {entry.kind === 'intent' ? 'intent' : `${entry.kind}: ${entry.outcome ?? 'unknown'}`}
                  </StatusBadge>
                  {entry.upstreamStatus ? (
                    <span className="ml-2 text-ink-3 text-xs">{entry.upstreamStatus}</span>
                  ) : null}
                </td>
                <td className="max-w-48 truncate" title={entry.actor}>
                  {entry.actor} {entry.role ? <span className="text-ink-3">({entry.role})</span> : null}
                </td>
                <td>
                  <code className="font-mono text-xs">{entry.operation}</code>
                </td>
                <td className="max-w-64 truncate font-mono text-ink-2 text-xs" title={JSON.stringify(entry.params)}>
                  {Object.values(entry.params).join(' ')}
                </td>
                <td className="max-w-56 truncate text-ink-2 text-xs" title={entry.fields.join(', ')}>
                  {entry.fields.join(', ')}
                </td>
                <td>
                  <CopyButton value={entry.requestId} what="request id" />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    )}
    {next ? (
      <div className="mt-3 flex justify-end">
        <Button asChild size="sm">
          <Link href={`${routes.audit(workspace)}?before=${next}` as Route}>Older</Link>
        </Button>
      </div>
    ) : null}
  </>
)
