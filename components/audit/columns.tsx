import type { Column } from '@/components/shared/list/data-table'
import { RelativeTime } from '@/components/shared/text/relative-time'
import { StatusBadge, type Tone } from '@/components/ui/badge'
import { Button } from '@/components/ui/button'
import type { AuditRow, AuditRowsPage } from '@/lib/contracts/audit/audit-row'
import { AUDIT_OUTCOMES, type AuditOutcome } from '@/lib/contracts/audit/sentence'
import { count } from '@/lib/format/format'
import { AuditSentence } from './sentence'

const TONES: Record<AuditOutcome, Tone> = { done: 'ok', failed: 'warn', denied: 'error', unknown: 'unknown' }

type Of = { workspace: string; names: AuditRowsPage['names']; onOpen: (row: AuditRow) => void }

export const auditColumns = ({ workspace, names, onOpen }: Of): Column<AuditRow>[] => [
  { id: 'at', header: 'When', className: 'w-28 text-ink-2', cell: ({ at }) => <RelativeTime at={at} /> },
  {
    id: 'action',
    header: 'Action',
    className: 'w-full max-w-none py-2 sm:max-w-none',
    cell: (row) => <AuditSentence workspace={workspace} row={row} names={names} />,
  },
  { id: 'role', header: 'Role', from: 'lg', className: 'w-24 text-ink-2', cell: ({ role }) => role ?? 'none' },
  { id: 'outcome', header: 'Outcome', from: 'sm', className: 'w-40', cell: (row) => <Outcome row={row} /> },
  {
    id: 'record',
    header: <span className="sr-only">Record</span>,
    className: 'w-20 text-right',
    cell: (row) => (
      <Button size="sm" variant="ghost" aria-label={`Record of entry ${count(row.seq)}`} onClick={() => onOpen(row)}>
        Record
      </Button>
    ),
  },
]

/** Done, failed, denied or unknown, with what was recorded. */
export const Outcome = ({ row: { outcome, said } }: { row: Pick<AuditRow, 'outcome' | 'said'> }) => (
  <StatusBadge tone={TONES[outcome]} title={said ?? undefined}>
    {AUDIT_OUTCOMES[outcome]}
    {said && outcome !== 'done' ? `: ${said}` : ''}
  </StatusBadge>
)
