'use client'

import { useQuery } from '@tanstack/react-query'
import Link from 'next/link'
import { useMemo, useState } from 'react'
import { ErrorNotice, useTryAgain } from '@/components/shared/feedback/error-notice'
import type { Span } from '@/components/traces/common/span'
import { Button } from '@/components/ui/button'
import { Skeleton } from '@/components/ui/loading'
import type { traces } from '@/lib/contracts/traces'
import type { InputOf } from '@/lib/contracts/wire/api'
import { traceTotalsQuery } from '@/lib/queries/traces'
import { routes } from '@/lib/routes'
import type { PriceBook } from '@/lib/traces/cost'
import { Chart } from './chart'
import { type ChartModel, chartsOf } from './charts-model'

type Totals = InputOf<typeof traces.getTraceTotals>['body']

type Props = { workspace: string; span: Span; totals: Totals; models: Totals; book: PriceBook | undefined }

/** The metrics of a project over time, as charts or as a table. */
export function ProjectCharts(props: Props) {
  const { workspace, span, book } = props
  const [isTable, setTable] = useState(false)
  const wholeQuery = traceTotalsQuery(workspace, props.totals)
  const whole = useQuery(wholeQuery)
  const models = useQuery(traceTotalsQuery(workspace, props.models))
  const retry = useTryAgain(wholeQuery.queryKey)
  const { times, charts, gaps } = useMemo(
    () =>
      whole.data && models.data
        ? chartsOf(span, whole.data, models.data, book)
        : { times: [], charts: undefined, gaps: [] },
    [span, whole.data, models.data, book],
  )
  const error = whole.error ?? models.error
  if (error && !charts) return <ErrorNotice error={error.view} onRetry={retry} className="mb-3" />
  return (
    <section aria-label="Totals" className="mb-4">
      <div className="grid grid-cols-2 gap-2 xl:grid-flow-col xl:auto-cols-fr xl:grid-cols-none">
        {charts
          ? charts.map((chart) => <Chart key={chart.title} {...chart} times={times} />)
          : ['Runs', 'Latency', 'First', 'Tokens'].map((name) => <Skeleton key={name} className="h-[7.4rem] w-full" />)}
      </div>
      <div className="mt-1.5 flex flex-wrap items-center justify-end gap-2">
        {gaps.length > 0 ? <p className="mr-auto max-w-3xl text-ink-3 text-xs">{gaps.join(' ')}</p> : null}
        <Button asChild variant="ghost" size="sm">
          <Link href={routes.prices(workspace)}>Model prices</Link>
        </Button>
        <Button variant="ghost" size="sm" aria-expanded={isTable} disabled={!charts} onClick={() => setTable(!isTable)}>
          {isTable ? 'Hide table' : 'Show as table'}
        </Button>
      </div>
      {isTable && charts ? <ChartsTable times={times} charts={charts} /> : null}
    </section>
  )
}

/** The same numbers as a table, without empty intervals. */
function ChartsTable({ times, charts }: { times: readonly string[]; charts: readonly ChartModel[] }) {
  const columns = charts.flatMap(({ title, series, format }) =>
    series.map(({ label, values }) => ({ name: label === title ? title : `${title}: ${label}`, values, format })),
  )
  const shown = times.flatMap((time, index) =>
    columns.some(({ values }) => values[index] !== null && values[index] !== undefined) ? [{ time, index }] : [],
  )
  return (
    <div className="max-h-80 overflow-auto rounded-lg border bg-panel">
      <table aria-label="Totals over time" className="w-full border-collapse text-right text-xs tabular-nums">
        <thead>
          <tr className="text-ink-3 [&>th]:sticky [&>th]:top-0 [&>th]:bg-sunken">
            <th scope="col" className="h-8 whitespace-nowrap px-3 text-left font-medium">
              From
            </th>
            {columns.map(({ name }) => (
              <th key={name} scope="col" className="h-8 whitespace-nowrap px-3 font-medium">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {shown.map(({ time, index }) => (
            <tr key={time} className="border-t">
              <th scope="row" className="h-7 whitespace-nowrap px-3 text-left font-normal text-ink-2">
                {time}
              </th>
              {columns.map(({ name, values, format }) => (
                <td key={name} className="h-7 whitespace-nowrap px-3">
                  {values[index] === null || values[index] === undefined ? '–' : format(values[index])}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {shown.length === 0 ? <p className="px-3 py-2 text-ink-3 text-xs">No traces in this period.</p> : null}
    </div>
  )
}
