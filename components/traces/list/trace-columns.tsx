import type { ReactNode } from 'react'
import type { Column } from '@/components/shared/list/data-table'
import { RelativeTime } from '@/components/shared/text/relative-time'
import { VisibleText } from '@/components/shared/text/visible-text'
import { CostText, costOfRun } from '@/components/traces/common/cost'
import { amountText, timeText } from '@/components/traces/common/format'
import { RunStatus } from '@/components/traces/common/run-badges'
import type { NamedProject } from '@/components/traces/common/use-projects'
import { isRunOver } from '@/components/traces/common/use-run-statuses'
import { Badge } from '@/components/ui/badge'
import type { RunRowStatus } from '@/lib/contracts/agents/run-row'
import type { TraceRun } from '@/lib/contracts/traces/trace-run'
import { firstLine } from '@/lib/stream/thread-rows'
import type { Cost, PriceBook } from '@/lib/traces/cost'
import { type LightRun, lightRun } from '@/lib/traces/light-run'

export type TraceRow = LightRun & { input: string | null; costs: Cost; outcome?: RunRowStatus }
export function rowOf(given: TraceRun, book: PriceBook | undefined): TraceRow {
  const run = lightRun(given)
  return { ...run, input: given.inputs_preview ?? null, costs: costOfRun(run, book) }
}

const MAX_SHOWN = 160
const MAX_TITLE = 1_000

export const traceColumns: Column<TraceRow>[] = [
  {
    id: 'name',
    header: 'Name',
    className: 'w-full max-w-0 sm:w-auto sm:max-w-52',
    cell: (row) => (
      <>
        <span className="flex max-w-full items-center gap-2">
          <span className="truncate" title={row.name}>
            <VisibleText>{row.name || 'without a name'}</VisibleText>
          </span>
          <Badge>{row.type}</Badge>
        </span>
        {row.error || row.input ? (
          <span className="block truncate font-normal min-[1400px]:hidden">
            <Input row={row} />
          </span>
        ) : null}
      </>
    ),
  },
  {
    id: 'status',
    header: 'Status',
    cell: ({ status, outcome, lastAt }) => (
      <RunStatus status={status} run={outcome} isLost={isRunOver(status, outcome, lastAt)} />
    ),
  },
  {
    id: 'input',
    header: 'Input',
    from: 'wide',
    className: 'w-1/4 max-w-0 truncate',
    cell: (row) => <Input row={row} />,
  },
  {
    id: 'start',
    header: 'Started',
    className: 'w-28 whitespace-nowrap text-ink-2',
    cell: ({ start }) => <RelativeTime at={start} />,
  },
  figure('latency', 'Latency', ({ latency }) => timeText(latency), 'sm'),
  figure('first', 'First token', ({ firstToken }) => timeText(firstToken), 'lg'),
  figure('tokens', 'Tokens', ({ tokens }) => amountText(tokens), 'md'),
  figure('cost', 'Cost', ({ costs }) => <CostText cost={costs} isShort />, 'xl'),
  {
    id: 'model',
    header: 'Model',
    from: 'xl',
    className: 'max-w-32',
    cell: ({ model }) =>
      model ? (
        <code className="font-mono text-ink-2 text-xs" title={model}>
          <VisibleText>{model}</VisibleText>
        </code>
      ) : null,
  },
  {
    id: 'tags',
    header: 'Tags',
    from: 'wide',
    className: 'max-w-28',
    cell: ({ tags }) => (
      <span className="flex max-w-full items-center gap-1" title={tags.join(', ')}>
        {tags.slice(0, 1).map((tag) => (
          <Badge key={tag} className="min-w-0">
            <span className="truncate">
              <VisibleText>{tag}</VisibleText>
            </span>
          </Badge>
        ))}
        {tags.length > 1 ? <span className="text-ink-3 text-xs">+{tags.length - 1}</span> : null}
      </span>
    ),
  },
]

/** Why the run failed, and what it was asked. */
function Input({ row: { error: logged, input, outcome } }: { row: TraceRow }) {
  const error = logged && outcome !== 'cancelled' ? firstLine(logged) : null
  return (
    <span
      className="text-ink-3 text-xs"
      title={[error, input]
        .map((text) => text?.slice(0, MAX_TITLE))
        .filter(Boolean)
        .join('\n')}
    >
      {error ? (
        <span className="text-error">
          <VisibleText>{error.slice(0, MAX_SHOWN)}</VisibleText>
        </span>
      ) : null}
      {error && input ? ' · ' : null}
      {input ? <VisibleText>{input.slice(0, MAX_SHOWN)}</VisibleText> : null}
    </span>
  )
}

/** The columns of a list of several projects. */
export function traceColumnsOf(projects: readonly NamedProject[]): Column<TraceRow>[] {
  const names = new Map(projects.map(({ id, name }) => [id, name]))
  const [name, ...others] = traceColumns
  const project: Column<TraceRow> = {
    id: 'project',
    header: 'Project',
    from: 'md',
    className: 'max-w-40 text-ink-2',
    cell: ({ project }) => (
      <span className="block truncate" title={names.get(project ?? '')}>
        <VisibleText>{names.get(project ?? '') ?? 'unknown'}</VisibleText>
      </span>
    ),
  }
  return name ? [name, project, ...others] : []
}

function figure(
  id: string,
  header: string,
  text: (row: TraceRow) => ReactNode,
  from: 'sm' | 'md' | 'lg' | 'xl',
): Column<TraceRow> {
  return {
    id,
    header,
    from,
    className: 'w-20 whitespace-nowrap text-right text-ink-2 tabular-nums',
    cell: (row) => <span className="whitespace-nowrap">{text(row)}</span>,
  }
}
