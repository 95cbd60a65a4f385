import type { Column } from '@/components/shared/list/data-table'
import { RelativeTime } from '@/components/shared/text/relative-time'
import { StatusBadge } from '@/components/ui/badge'
import { CopyButton } from '@/components/ui/copy-button'
import { count } from '@/lib/format/format'

export type AuditShown = {
  seq: number
  at: string
  kind: 'intent' | 'outcome' | 'denial'
  /** For an outcome: the row of its intent. */
  intent: number | null
  actor: string
  role: string | null
  operation: string
  params: Record<string, string>
  fields: string[]
  upstreamStatus: number | null
  /** "200 done", "409 conflict"; for a denial the required role. */
  outcome: string | null
  requestId: string
}

export const auditColumns: Column<AuditShown>[] = [
  { id: 'seq', header: 'Row', from: 'lg', className: 'w-16 text-ink-3', cell: ({ seq }) => count(seq) },
  { id: 'at', header: 'When', className: 'w-28 text-ink-2', cell: ({ at }) => <RelativeTime at={at} /> },
  { id: 'what', header: 'What', className: 'w-44', cell: (entry) => <What entry={entry} /> },
  {
    id: 'operation',
    header: 'Operation',
    cell: ({ operation }) => (
      <code className="font-mono text-xs" title={operation}>
        {operation}
      </code>
    ),
  },
  {
    id: 'actor',
    header: 'Who',
    from: 'sm',
    cell: ({ actor, role }) => (
      <span title={role ? `${actor}, as ${role}` : actor}>
        {actor} {role ? <span className="text-ink-3">{role}</span> : null}
      </span>
    ),
  },
  {
    id: 'on',
    header: 'On',
    from: 'lg',
    className: 'max-w-44',
    cell: ({ params }) => {
      const all = Object.entries(params).map(([name, value]) => `${name} ${value}`)
      return (
        <code className="font-mono text-ink-2 text-xs" title={all.join('\n')}>
          {Object.values(params).join(' ') || '–'}
        </code>
      )
    },
  },
  {
    id: 'fields',
    header: 'Fields',
    from: 'xl',
    className: 'max-w-44 text-ink-2',
    cell: ({ fields }) => <span title={fields.join(', ')}>{fields.join(', ') || '–'}</span>,
  },
  {
    id: 'request',
    header: 'Request',
    from: 'md',
    className: 'w-20',
    cell: ({ requestId }) => <CopyButton value={requestId} what="request id" />,
  },
]

function What({ entry: { kind, outcome, intent, upstreamStatus } }: { entry: AuditShown }) {
  if (kind === 'intent') return <StatusBadge tone="neutral">Intent</StatusBadge>
  if (kind === 'denial')
    return (
      <StatusBadge tone="error" title={outcome ?? undefined}>
        Denied{outcome ? `: ${outcome}` : ''}
      </StatusBadge>
    )
  const isDone = outcome?.startsWith('2') ?? false
  const of = intent === null ? '' : `Intent in row ${count(intent)}. `
  return (
    <StatusBadge
      tone={isDone ? 'ok' : 'warn'}
      title={
        `${of}${upstreamStatus ? `The upstream responded with status ${upstreamStatus}.` : ''}`.trim() || undefined
      }
    >
      {isDone ? 'Done' : `Failed: ${outcome ?? 'unknown'}`}
    </StatusBadge>
  )
}
