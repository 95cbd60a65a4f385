'use client'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { EmptyState } from '@/components/shared/feedback/empty-state'
import { ErrorNotice, useTryAgain } from '@/components/shared/feedback/error-notice'
import { StaleNotice } from '@/components/shared/feedback/stale-notice'
import { VisibleText } from '@/components/shared/text/visible-text'
import { Skeleton } from '@/components/ui/loading'
import { agentServer } from '@/lib/contracts/agent-server'
import type { DeploymentPlace } from '@/lib/contracts/wire/places'
import { type MetricFamily, parseMetrics, pointOf } from '@/lib/format/prometheus'
import { apiQuery } from '@/lib/queries/api-query'
import { Sparkline } from './sparkline'

const INTERVAL_MS = 5_000
/** Ten minutes. */
const MAX_POINTS = 120
const MAX_FAMILIES = 60

type Series = { at: number; families: Map<string, MetricFamily>; points: ReadonlyMap<string, (number | undefined)[]> }

/** Live charts of the server's metrics. */
export function MetricsCharts({ workspace, deploymentId }: DeploymentPlace) {
  const query = apiQuery(agentServer.getMetrics, { workspace, deploymentId, query: { format: 'prometheus' } })
  const { data, error, dataUpdatedAt } = useQuery({ ...query, refetchInterval: INTERVAL_MS, structuralSharing: false })
  const retry = useTryAgain(query.queryKey)
  const series = useSeries(typeof data === 'string' ? data : undefined, dataUpdatedAt)
  if (error?.code === 'unsupported') return <p className="text-ink-2">{error.message}</p>
  if (error && !series) return <ErrorNotice error={error.view} onRetry={retry} />
  if (!series) return <Skeleton className="h-32 w-full" />
  const families = [...series.families.values()]
  if (families.length === 0) return <EmptyState title="No metrics" />
  return (
    <>
      {error ? <StaleNotice {...error.view} at={dataUpdatedAt} onRetry={retry} /> : null}
      <ul className="grid gap-3 sm:grid-cols-2 xl:grid-cols-3">
        {families.slice(0, MAX_FAMILIES).map((family) => (
          <Chart key={family.name} family={family} points={series.points.get(family.name) ?? []} />
        ))}
      </ul>
      {families.length > MAX_FAMILIES ? (
        <p className="mt-2 text-ink-3 text-xs">
          {families.length - MAX_FAMILIES} more metrics are not shown. See them all at /metrics on the server.
        </p>
      ) : null}
    </>
  )
}

function Chart({ family, points }: { family: MetricFamily; points: readonly (number | undefined)[] }) {
  const last = points.findLast((point) => point !== undefined)
  const text = last === undefined ? '–' : `${formatNumber(last)}${UNITS[family.type] ?? ''}`
  return (
    <li className="min-w-0 rounded-lg border bg-panel p-3">
      <p className="flex items-baseline gap-2">
        <code className="min-w-0 flex-1 truncate font-mono text-xs" title={family.name}>
          {family.name}
        </code>
        <span className="font-medium tabular-nums">{text}</span>
      </p>
      <p className="truncate text-ink-3 text-xs" title={family.help}>
        <VisibleText>{family.help || family.type}</VisibleText>
      </p>
      <Sparkline values={points} label={`${family.name}: now ${text}`} />
    </li>
  )
}

const UNITS: Record<string, string> = { counter: ' / s', histogram: ' avg', summary: ' avg' }

const formatNumber = (value: number): string =>
  Number.isFinite(value) ? value.toLocaleString('en', { maximumSignificantDigits: 4 }) : String(value)

/** Adds a point to each chart on every reading. History before the page was opened is not available. */
function useSeries(text: string | undefined, at: number): Series | undefined {
  const [series, setSeries] = useState<Series>()
  useEffect(() => {
    if (text === undefined) return
    setSeries((before) => {
      if (before?.at === at) return before
      const families = new Map(parseMetrics(text).map((family) => [family.name, family]))
      const seconds = before ? (at - before.at) / 1000 : 0
      const points = new Map(
        [...families].map(([name, family]) => [
          name,
          [...(before?.points.get(name) ?? []), pointOf(family, before?.families.get(name), seconds)].slice(
            -MAX_POINTS,
          ),
        ]),
      )
      return { at, families, points }
    })
  }, [text, at])
  return series
}
