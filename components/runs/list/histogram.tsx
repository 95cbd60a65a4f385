'use client'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useMemo, useRef, useState } from 'react'
import { BarPicker } from '@/components/shared/chart/bar-picker'
import { Chart } from '@/components/shared/chart/chart'
import { ChartTable } from '@/components/shared/chart/chart-table'
import { LateSkeleton } from '@/components/shared/feedback/late-notice'
import { STALE_STYLE } from '@/components/shared/feedback/stale-notice'
import { Button } from '@/components/ui/button'
import { runHistogramQuery } from '@/lib/queries/runs'
import { histogramChart, histogramNotes, spanOfBars } from './histogram-model'
import { histogramQueryOf } from './list-query'

type Props = {
  workspace: string
  /** That of the list. */
  query: Record<string, string | number>
  /** Of the listed runs. The chart is read again once these have changed and stay the same for a second. */
  statuses: string
  onRange: (span: { since: string; until: string }) => void
}

const SETTLE_MS = 1_000

/** How many of the listed runs started when, stacked by status. Bars can be chosen to narrow the list. */
export function Histogram({ workspace, query, statuses, onRange }: Props) {
  const [isTable, setTable] = useState(false)
  const zone = -new Date().getTimezoneOffset()
  const { data, error, isPlaceholderData, refetch } = useQuery(
    runHistogramQuery(workspace, histogramQueryOf(query, zone)),
  )
  const charted = useRef(statuses)
  useEffect(() => {
    if (charted.current === statuses) return
    const timer = setTimeout(() => {
      charted.current = statuses
      void refetch()
    }, SETTLE_MS)
    return () => clearTimeout(timer)
  }, [statuses, refetch])
  const shown = useMemo(() => data && histogramChart(data), [data])
  if (!data || !shown)
    return error ? (
      <p className="mb-3 text-ink-3 text-xs">No chart: {error.view.message}</p>
    ) : (
      <LateSkeleton className="mb-3 h-40 w-full" />
    )
  const { times, total, chart } = shown
  const notes = histogramNotes(data, query.since === undefined)
  return (
    <section aria-label="Runs over time" className="mb-3">
      {total > 0 ? (
        <div className={error || isPlaceholderData ? STALE_STYLE : undefined}>
          <Chart
            {...chart}
            times={times}
            hasLegend
            over={(hints) => (
              <BarPicker
                label={chart.title}
                hints={hints}
                onPick={(first, last) => onRange(spanOfBars(data, first, last))}
              />
            )}
          />
        </div>
      ) : null}
      <div className="mt-1 flex flex-wrap items-center justify-end gap-2">
        <p className="mr-auto max-w-3xl text-ink-3 text-xs">
          {[...notes, ...(error ? [`Not up to date: ${error.view.message}`] : [])].join(' ')}
        </p>
        {total > 0 ? (
          <Button variant="ghost" size="sm" aria-expanded={isTable} onClick={() => setTable(!isTable)}>
            {isTable ? 'Hide table' : 'Show as table'}
          </Button>
        ) : null}
      </div>
      {isTable && total > 0 ? (
        <ChartTable label="Runs over time" empty="No runs." times={times} charts={[chart]} />
      ) : null}
    </section>
  )
}
