'use client'

import { useQuery } from '@tanstack/react-query'
import { ErrorNotice, useTryAgain } from '@/components/shared/feedback/error-notice'
import { type Column, DataTable } from '@/components/shared/list/data-table'
import { VisibleText } from '@/components/shared/text/visible-text'
import { CostText, costOf } from '@/components/traces/common/cost'
import { amountText, secondsText } from '@/components/traces/common/format'
import type { traces } from '@/lib/contracts/traces'
import type { TRACE_GROUPS } from '@/lib/contracts/traces/groups'
import type { TraceTotals } from '@/lib/contracts/traces/run-queries'
import type { InputOf } from '@/lib/contracts/wire/api'
import { count } from '@/lib/format/format'
import { traceTotalsQuery } from '@/lib/queries/traces'
import type { PriceBook } from '@/lib/traces/cost'

type Body = InputOf<typeof traces.getTraceTotals>['body']
type By = (typeof TRACE_GROUPS)[number]
type Group = NonNullable<TraceTotals['groups']>[number]

type Props = {
  workspace: string
  by: By
  body: Body
  book: PriceBook | undefined
  /** Lists the runs of a group. */
  onOpen: (key: string) => void
}

const WITHOUT: Record<By, string> = { model: 'no model logged', name: 'without a name', tag: 'no tag' }

/** The runs by model, name or tag: how many, how slow, how many failed, and what they cost. */
export function TraceGroups({ workspace, by, body, book, onOpen }: Props) {
  const { bucket_seconds, model_usage, other_costs, ...which } = body
  const query = traceTotalsQuery(workspace, { ...which, group_by: by })
  const { data, error } = useQuery(query)
  const retry = useTryAgain(query.queryKey)
  if (error && !data) return <ErrorNotice error={error.view} onRetry={retry} className="mb-4" />
  if (data && !data.groups) return <p className="mb-4 text-ink-3 text-xs">This tracing server cannot group runs.</p>
  const groups = data?.groups ?? undefined
  const all = data?.group_count ?? 0
  return (
    <section aria-label={`Runs by ${by}`} className="mb-4">
      <DataTable
        label={`Runs by ${by}`}
        columns={columnsOf(by, book, onOpen)}
        rows={groups}
        rowKey={({ key }) => key ?? ''}
        empty={<p className="px-3 py-4 text-ink-3 text-xs">No runs in this period.</p>}
      />
      {groups && all > groups.length ? (
        <p className="mt-1 text-ink-3 text-xs">
          The {count(groups.length)} largest of {count(all)} groups.
        </p>
      ) : null}
      {by === 'tag' ? <p className="mt-1 text-ink-3 text-xs">A run with several tags counts in each of them.</p> : null}
    </section>
  )
}

const columnsOf = (by: By, book: PriceBook | undefined, onOpen: Props['onOpen']): Column<Group>[] => [
  {
    id: 'key',
    header: by === 'model' ? 'Model' : by === 'name' ? 'Name' : 'Tag',
    className: 'w-full max-w-0',
    cell: ({ key }) =>
      key === null ? (
        <span className="text-ink-3">{WITHOUT[by]}</span>
      ) : (
        <button
          type="button"
          className="block max-w-full truncate hover:underline"
          title={key}
          onClick={() => onOpen(key)}
        >
          <VisibleText>{key}</VisibleText>
        </button>
      ),
  },
  figure('runs', by === 'model' ? 'Calls' : 'Runs', ({ run_count }) => count(run_count ?? 0)),
  figure('failed', 'Failed', ({ error_rate, error_count }) => (
    <span className={error_count ? 'text-error' : undefined} title={`${count(error_count ?? 0)} failed`}>
      {shareText(error_rate)}
    </span>
  )),
  figure('p50', 'p50', ({ latency_p50 }) => secondsText(latency_p50), 'sm'),
  figure('p95', 'p95', ({ latency_p95 }) => secondsText(latency_p95), 'sm'),
  figure('tokens', 'Tokens', ({ total_tokens }) => amountText(total_tokens), 'md'),
  figure('cost', 'Cost', ({ total_cost, model_usage }) => (
    <CostText cost={costOf(total_cost, model_usage, book)} isShort />
  )),
]

/** "<1%" for the few failures that would otherwise look like none. */
const shareText = (share: number | null | undefined): string =>
  share ? (share < 0.01 ? '<1%' : `${Math.round(share * 100)}%`) : '0%'

function figure(id: string, header: string, cell: Column<Group>['cell'], from?: 'sm' | 'md'): Column<Group> {
  return { ...{ id, header, cell, className: 'whitespace-nowrap text-right tabular-nums' }, ...(from && { from }) }
}
