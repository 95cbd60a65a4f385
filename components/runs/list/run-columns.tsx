import { Elapsed } from '@/components/runs/view/elapsed'
import type { Column } from '@/components/shared/list/data-table'
import { RelativeTime } from '@/components/shared/text/relative-time'
import { VisibleText } from '@/components/shared/text/visible-text'
import { Badge, StatusBadge } from '@/components/ui/badge'
import { isRowActive, type RunRow } from '@/lib/contracts/agents/run-row'
import { shortId } from '@/lib/format/format'
import { isUuid } from '@/lib/json/guards'
import { rowStatus, VERSION_UNKNOWN } from '@/lib/stream/run-status'

/** Names for the ids of a row; the id itself if its name is unknown. */
export type Names = { assistant: (row: RunRow) => string; deployment: (id: string) => string }

type Rows = {
  names: Names
  serverNow: number
  /** Whether to show the deployment, because the list covers the whole workspace. */
  hasDeployment: boolean
}

export const runColumns = ({ names, serverNow, hasDeployment }: Rows): Column<RunRow>[] => [
  {
    id: 'assistant',
    header: 'Assistant',
    cell: (row) => (
      <span title={`Run ${row.run ?? '(no id yet)'}`}>
        <VisibleText>{shortName(names.assistant(row))}</VisibleText>
        {row.recording ? null : (
          <Badge className="ml-2" title="Started elsewhere and not recorded yet. Opening it starts a recording.">
            elsewhere
          </Badge>
        )}
      </span>
    ),
  },
  {
    id: 'version',
    header: 'Version',
    from: 'xl',
    className: 'w-24 text-ink-2',
    cell: ({ assistantVersion }) =>
      assistantVersion ?? (
        <span className="text-ink-3" title={VERSION_UNKNOWN}>
          unknown
        </span>
      ),
  },
  {
    id: 'status',
    header: 'Status',
    cell: (row) => {
      const { tone, label, detail } = rowStatus(row.status)
      return (
        <StatusBadge tone={tone} title={detail}>
          {label}
        </StatusBadge>
      )
    },
  },
  ...(hasDeployment
    ? [
        {
          id: 'deployment',
          header: 'Deployment',
          from: 'md',
          cell: (row) => <span title={row.deployment}>{names.deployment(row.deployment)}</span>,
        } satisfies Column<RunRow>,
      ]
    : []),
  {
    id: 'thread',
    header: 'Thread',
    from: 'md',
    cell: (row) =>
      row.isStateless || !row.thread ? (
        <span className="text-ink-3">{row.isStateless ? 'stateless' : '–'}</span>
      ) : (
        <code className="font-mono text-ink-2 text-xs" title={row.thread}>
          {shortId(row.thread)}
        </code>
      ),
  },
  {
    id: 'by',
    header: 'Started by',
    from: 'lg',
    cell: ({ startedBy }) => (
      <span className="text-ink-2" title={startedBy}>
        {startedBy}
      </span>
    ),
  },
  {
    id: 'at',
    header: 'Started',
    from: 'sm',
    className: 'w-32 text-ink-2',
    cell: (row) => <RelativeTime at={row.startedAt} />,
  },
  {
    id: 'duration',
    header: 'Duration',
    className: 'w-28 text-ink-2',
    from: 'sm',
    cell: (row) => <Elapsed from={Date.parse(row.startedAt)} to={endOf(row)} serverNow={serverNow} />,
  },
]

function endOf(row: RunRow): number | undefined {
  if (row.endedAt) return Date.parse(row.endedAt)
  return isRowActive(row) ? undefined : Date.parse(row.startedAt)
}

const shortName = (name: string) => (isUuid(name) ? shortId(name) : name)
