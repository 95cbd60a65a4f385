import type { ReactNode } from 'react'
import type { Column } from '@/components/shared/data-table'
import { RelativeTime } from '@/components/shared/relative-time'
import { VisibleText } from '@/components/shared/visible-text'
import { Badge } from '@/components/ui/badge'
import type { TraceRun } from '@/lib/contracts/trace-runs'
import type { Cost, PriceBook } from '@/lib/traces/cost'
import { type LightRun, lightRun } from '@/lib/traces/light-run'
import { CostText, costOfRun } from './cost'
import { amountText, timeText } from './format'
import { RunStatus } from './run-status'

export type TraceRow = LightRun & { input: string | null; costs: Cost }
export function rowOf(given: TraceRun, book: PriceBook | undefined): TraceRow {
  const run = lightRun(given)
  return { ...run, input: given.inputs_preview ?? null, costs: costOfRun(run, book) }
}

const MAX_INPUT = 160

export const traceColumns: Column<TraceRow>[] = [
  {
    id: 'name',
    header: 'Name',
    cell: ({ name, type }) => (
      <span className="flex max-w-full items-center gap-2">
        <span className="truncate" title={name}>
          <VisibleText>{name || 'without a name'}</VisibleText>
        </span>
        <Badge>{type}</Badge>
      </span>
    ),
  },
  {
    id: 'status',
    header: 'Status',
    cell: ({ status, error }) => (
      <span className="flex max-w-full items-center gap-2" title={error ?? undefined}>
        <RunStatus status={status} />
        {error ? (
          <span className="truncate text-ink-3 text-xs max-xl:hidden">
            <VisibleText>{error}</VisibleText>
          </span>
        ) : null}
      </span>
    ),
  },
  {
    id: 'input',
    header: 'Input',
    from: 'xl',
    cell: ({ input }) =>
      input ? (
        <span className="text-ink-3 text-xs" title={input.slice(0, 1_000)}>
          <VisibleText>{input.slice(0, MAX_INPUT)}</VisibleText>
        </span>
      ) : null,
  },
  {
    id: 'start',
    header: 'Started',
    className: 'w-28 text-ink-2',
    cell: ({ start }) => <RelativeTime at={start} />,
  },
  figure('latency', 'Latency', ({ latency }) => timeText(latency), 'sm'),
  figure('first', 'First token', ({ firstToken }) => timeText(firstToken), 'lg'),
  figure('tokens', 'Tokens', ({ tokens }) => amountText(tokens), 'md'),
  figure('cost', 'Cost', ({ costs }) => <CostText cost={costs} isShort />, 'xl'),
  {
    id: 'model',
    header: 'Model',
    from: 'lg',
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
    from: 'xl',
    cell: ({ tags }) => (
      <span className="inline-flex gap-1">
        {tags.slice(0, 3).map((tag) => (
          <Badge key={tag}>
            <VisibleText>{tag.slice(0, 40)}</VisibleText>
          </Badge>
        ))}
        {tags.length > 3 ? <span className="text-ink-3 text-xs">+{tags.length - 3}</span> : null}
      </span>
    ),
  },
]

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
    className: 'w-24 text-right text-ink-2 tabular-nums',
    cell: (row) => <span className="whitespace-nowrap">{text(row)}</span>,
  }
}
