import { KeyValues } from '@/components/shared/text/key-values'
import { Dialog } from '@/components/ui/dialog'
import type { AuditRow, AuditRowsPage } from '@/lib/contracts/audit/audit-row'
import { count } from '@/lib/format/format'
import { Outcome } from './columns'
import { AuditSentence } from './sentence'

type Props = { workspace: string; row: AuditRow; names: AuditRowsPage['names']; onClose: () => void }

/** Everything that the trail holds about an action: ids, times and names of fields. */
export const RecordDialog = ({ workspace, row, names, onClose }: Props) => (
  <Dialog open onOpenChange={onClose} title={`Entry ${count(row.seq)}`} className="w-[min(44rem,calc(100vw-2rem))]">
    <p className="mb-3">
      <AuditSentence workspace={workspace} row={row} names={names} />
    </p>
    <KeyValues
      items={[
        ['Outcome', <Outcome key="outcome" row={row} />],
        ['Recorded', row.said ?? 'nothing yet'],
        ['Started', row.at],
        ['Ended', row.endedAt ?? 'not recorded'],
        ['Person', `${row.actor}, ${row.role ? `as ${row.role}` : 'without a role'}`],
        ['Operation', row.operation],
        ['Workspace', row.workspace === '*' ? 'none' : row.workspace],
        ...Object.entries(row.params).map(([name, value]): [string, string] => [name, value]),
        ['Fields', row.fields.join(', ') || 'none'],
        ['Upstream status', row.upstreamStatus === null ? 'none' : String(row.upstreamStatus)],
        ['Request id', row.requestId],
      ]}
    />
  </Dialog>
)
