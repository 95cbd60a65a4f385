'use client'

import { useQuery } from '@tanstack/react-query'
import Link from 'next/link'
import { useMemo, useState } from 'react'
import { Chart } from '@/components/shared/chart/chart'
import { ChartTable } from '@/components/shared/chart/chart-table'
import { ErrorNotice, useTryAgain } from '@/components/shared/feedback/error-notice'
import { LateNotice } from '@/components/shared/feedback/late-notice'
import type { Span } from '@/components/traces/common/span'
import { Button } from '@/components/ui/button'
import { Skeleton } from '@/components/ui/loading'
import type { traces } from '@/lib/contracts/traces'
import type { InputOf } from '@/lib/contracts/wire/api'
import { traceTotalsQuery } from '@/lib/queries/traces'
import { routes } from '@/lib/routes'
import type { PriceBook } from '@/lib/traces/cost'
import { chartsOf } from './charts-model'

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
      <div className="grid grid-cols-2 gap-2 max-xl:[&>:last-child:nth-child(odd)]:col-span-2 xl:grid-flow-col xl:auto-cols-fr xl:grid-cols-none">
        {charts
          ? charts.map((chart) => <Chart key={chart.title} {...chart} times={times} />)
          : ['Runs', 'Latency', 'First', 'Tokens'].map((name) => <Skeleton key={name} className="h-[7.4rem] w-full" />)}
      </div>
      {charts ? null : <LateNotice />}
      <div className="mt-1.5 flex flex-wrap items-center justify-end gap-2">
        {gaps.length > 0 ? <p className="mr-auto max-w-3xl text-ink-3 text-xs">{gaps.join(' ')}</p> : null}
        <Button asChild variant="ghost" size="sm">
          <Link href={routes.prices(workspace)}>Model prices</Link>
        </Button>
        <Button variant="ghost" size="sm" aria-expanded={isTable} disabled={!charts} onClick={() => setTable(!isTable)}>
          {isTable ? 'Hide table' : 'Show as table'}
        </Button>
      </div>
      {isTable && charts ? (
        <ChartTable label="Totals over time" empty="No traces in this period." times={times} charts={charts} />
      ) : null}
    </section>
  )
}
