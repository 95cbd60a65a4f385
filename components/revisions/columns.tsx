import type { Column } from '@/components/shared/list/data-table'
import { RelativeTime } from '@/components/shared/text/relative-time'
import { Badge } from '@/components/ui/badge'
import type { Revision } from '@/lib/contracts/deployments/revisions'
import { shortId } from '@/lib/format/format'
import { RevisionBadge } from './common/revision-badge'
import { SpanText } from './common/span'
import type { Span } from './common/times'
import type { Trigger } from './common/trigger'
import { TriggerText } from './common/trigger-text'
import { VersionText } from './common/version-text'

/** A revision with the facts derived from its neighbours and the audit trail. */
export type RevisionRow = {
  revision: Revision
  isActive: boolean
  isLatest: boolean
  trigger: Trigger
  took: Span
  served: Span | undefined
}

export const revisionColumns = (chosen: readonly string[], onChoose: (id: string) => void): Column<RevisionRow>[] => [
  {
    id: 'compare',
    isAside: true,
    header: <span className="sr-only">Compare</span>,
    className: 'w-9 pr-0',
    cell: ({ revision }) => (
      <input
        type="checkbox"
        aria-label={`Compare revision ${shortId(revision.id)}`}
        className="block size-3.5 accent-accent"
        checked={chosen.includes(revision.id)}
        onChange={() => onChoose(revision.id)}
      />
    ),
  },
  {
    id: 'status',
    header: 'Revision',
    cell: ({ revision, isActive, isLatest }) => (
      <span className="flex min-w-0 items-center gap-2">
        <RevisionBadge status={revision.status} />
        {isActive ? <Badge className="border-ok/40 bg-ok-soft text-ok">active</Badge> : null}
        {isLatest && !isActive ? <Badge>latest</Badge> : null}
        <code className="hidden font-mono text-ink-3 text-xs xl:inline" title={revision.id}>
          {shortId(revision.id)}
        </code>
      </span>
    ),
  },
  {
    id: 'version',
    header: 'Commit or image',
    from: 'md',
    cell: ({ revision }) => <VersionText config={revision.source_revision_config} />,
  },
  {
    id: 'trigger',
    header: 'Created by',
    from: 'md',
    className: 'max-w-48',
    cell: ({ trigger }) => <TriggerText trigger={trigger} />,
  },
  {
    id: 'took',
    header: 'Duration',
    from: 'lg',
    className: 'whitespace-nowrap',
    cell: ({ took }) => <SpanText span={took} />,
  },
  {
    id: 'served',
    header: 'Active for',
    from: 'lg',
    className: 'whitespace-nowrap',
    cell: ({ served }) => <SpanText span={served} />,
  },
  {
    id: 'created',
    header: 'Created',
    className: 'text-ink-2',
    cell: ({ revision }) => <RelativeTime at={revision.created_at} />,
  },
]
