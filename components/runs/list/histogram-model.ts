import type { ChartModel } from '@/components/shared/chart/chart'
import type { RunHistogram, StatusGroup } from '@/lib/contracts/agents/run-row'
import { count } from '@/lib/format/format'
import { intervalName } from '@/lib/format/intervals'
import { STATUS_LABELS } from './list-query'

/** From the bottom of a bar to its top. */
const TONES: [StatusGroup, string][] = [
  ['failed', 'text-error'],
  ['waiting', 'text-warn'],
  ['active', 'text-accent/50'],
  ['success', 'text-accent'],
  ['stopped', 'text-ink-3'],
  ['unknown', 'text-line-strong'],
]

/** The runs as a chart. `total` is how many they are. */
export function histogramChart(histogram: RunHistogram): { times: string[]; total: number; chart: ChartModel } {
  const { first, step, counts } = histogram
  const sumOf = (one: (typeof counts)[number]) => Object.values(one).reduce((sum, runs) => sum + runs, 0)
  const ofStatus = (group: StatusGroup) => counts.reduce((sum, one) => sum + (one[group] ?? 0), 0)
  const total = counts.reduce((sum, one) => sum + sumOf(one), 0)
  const failed = ofStatus('failed')
  const runs = `${isComplete(histogram) ? '' : 'At least '}${count(total)} ${total === 1 ? 'run' : 'runs'}`
  return {
    times: counts.map((_, index) => intervalName(first + index * step * 1000, step)),
    total,
    chart: {
      title: 'Runs by start time',
      total: failed > 0 ? `${runs}, ${count(failed)} failed` : runs,
      format: count,
      series: TONES.filter(([group]) => ofStatus(group) > 0).map(([group, tone]) => ({
        label: STATUS_LABELS[group],
        kind: 'bar',
        tone,
        // An interval without runs is left out of the table.
        values: counts.map((one) => (sumOf(one) > 0 ? (one[group] ?? 0) : null)),
      })),
    },
  }
}

/** The time filters that list the runs of these bars. The last bar of a chart that ends now goes on to now. */
export function spanOfBars(
  { since, until, first, step, counts }: RunHistogram,
  from: number,
  to: number,
): { since: string; until: string } {
  const startOf = (bar: number) => first + bar * step * 1000
  const end = to >= counts.length - 1 ? until : startOf(to + 1)
  return { since: momentText(Math.max(since, startOf(from))), until: end === null ? '' : momentText(end) }
}

const momentText = (at: number) => new Date(at).toISOString().replace('.000Z', 'Z')

/** Whether all runs without a recording were found, except those that nobody can list. */
function isComplete({ looked }: RunHistogram): boolean {
  if (!looked) return true
  const { isPending, isPartial, isBusyOnly, traced, deployments, problems } = looked
  if (isPending || problems.length > 0) return false
  if (traced) return !traced.isPartial && (!isBusyOnly || traced.deployments >= deployments)
  return !isBusyOnly && !isPartial
}

/** What the chart covers, as sentences. `isUsual`: no start was asked for. */
export function histogramNotes(histogram: RunHistogram, isUsual: boolean): string[] {
  const { looked, until } = histogram
  const notes: string[] = []
  if (isUsual)
    notes.push(
      until === null ? 'The chart shows the last 7 days.' : `The chart shows the 7 days before ${timeText(until)}.`,
    )
  if (looked?.isPending) notes.push('Runs started elsewhere are still being counted.')
  else if (looked?.traced?.since)
    notes.push(`Runs without a recording are counted since ${timeText(Date.parse(looked.traced.since))} only.`)
  else if (!isComplete(histogram))
    notes.push('Runs without a recording are counted as far as the notes on the list say.')
  const isEmpty = histogram.counts.every((one) => Object.values(one).every((runs) => runs === 0))
  if (isEmpty) notes.push(isComplete(histogram) ? 'No runs in this period.' : 'No runs known in this period.')
  return notes
}

const timeText = (at: number) => intervalName(at, 60)
