import { Elapsed } from '@/components/runs/view/elapsed'
import { figureText, firstTokenTitle, tokensTitle } from '@/components/runs/view/model-figures'
import type { Column } from '@/components/shared/list/data-table'
import { RelativeTime } from '@/components/shared/text/relative-time'
import { VisibleText } from '@/components/shared/text/visible-text'
import { Badge, StatusBadge } from '@/components/ui/badge'
import { isRowActive, type RunRow } from '@/lib/contracts/agents/run-row'
import { count, dollars, duration, shortId } from '@/lib/format/format'
import { isUuid } from '@/lib/json/guards'
import { rowStatus } from '@/lib/stream/run-status'
import { modelFigures } from '@/lib/traces/model-figures'

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
        {row.assistantVersion ? <span className="ml-1 text-ink-3">v{row.assistantVersion}</span> : null}
        {row.recording ? null : (
          <Badge className="ml-2" title="Started elsewhere and not recorded yet. Opening it starts a recording.">
            elsewhere
          </Badge>
        )}
        {row.input || row.error ? (
          <span className="block max-w-48 truncate font-normal text-xs sm:max-w-72 lg:hidden">
            <Input row={row} />
          </span>
        ) : null}
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
  { id: 'input', header: 'Input', from: 'lg', className: 'max-w-0 w-1/3 truncate', cell: (row) => <Input row={row} /> },
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
    cell: (row) =>
      row.endedAt || isRowActive(row) ? (
        <Elapsed
          from={Date.parse(row.startedAt)}
          to={row.endedAt ? Date.parse(row.endedAt) : undefined}
          serverNow={serverNow}
        />
      ) : (
        <span className="text-ink-3" title="Unknown: nothing tells when the run ended.">
          –
        </span>
      ),
  },
  {
    id: 'first-token',
    header: 'First token',
    className: 'w-24 text-right text-ink-2 tabular-nums',
    from: 'wide',
    cell: (row) => {
      const figures = modelFigures(row, row.recorded)
      const text = figureText(figures.firstToken, duration)
      return text ? <span title={firstTokenTitle(figures)}>{text}</span> : <Untold row={row} />
    },
  },
  {
    id: 'tokens',
    header: 'Tokens',
    className: 'w-20 text-right text-ink-2 tabular-nums',
    from: 'xl',
    cell: (row) => {
      const figures = modelFigures(row, row.recorded)
      const text = figureText(figures.tokens, count)
      return text ? <span title={tokensTitle(figures)}>{text}</span> : <Untold row={row} />
    },
  },
  {
    id: 'cost',
    header: 'Cost',
    className: 'w-20 text-right text-ink-2 tabular-nums',
    from: 'wide',
    cell: ({ cost }) => (cost ? `${cost.isEstimated ? '≈' : ''}${dollars(cost.amount)}` : <Unknown title={NO_COST} />),
  },
]

/** What was asked, or why it failed. */
function Input({ row: { input, error, run, thread, isStateless, recording } }: { row: RunRow }) {
  const ids = [run && `Run ${run}`, isStateless ? 'Stateless' : thread && `Thread ${thread}`].filter(Boolean)
  return (
    <span title={[input, error, ...ids].filter(Boolean).join('\n')}>
      {error ? (
        <span className="text-error">
          <VisibleText>{error}</VisibleText>
        </span>
      ) : null}
      {error && input ? <span className="text-ink-3"> · </span> : null}
      {input ? (
        <VisibleText>{input}</VisibleText>
      ) : error ? null : recording ? (
        <Unknown title="Unknown: neither the request nor a trace tells it." />
      ) : input === '' ? (
        <span className="text-ink-3">no input</span>
      ) : (
        <NotTold />
      )}
    </span>
  )
}

/** Lists have what a recording tells only after the run's end, and not of recordings of earlier versions. */
const Untold = ({ row: { recording, recorded } }: { row: RunRow }) => (
  <Unknown title={recorded ? UNTOLD : recording ? UNREAD : 'Unknown: no trace tells it.'} />
)
const UNTOLD = 'Unknown: neither the recording nor a trace tells it.'
const UNREAD = 'Unknown: no trace tells it. The page of the run shows what its recording tells.'
const NO_COST = 'Unknown: no trace tells it, or a price is missing.'

const Unknown = ({ title }: { title: string }) => (
  <span className="text-ink-3" title={title}>
    –
  </span>
)

const NotTold = () => (
  <span
    className="text-ink-3"
    title="The run was not recorded, and neither a trace nor the agent server has told its input."
  >
    not told by the server
  </span>
)

const shortName = (name: string) => (isUuid(name) ? shortId(name) : name)
