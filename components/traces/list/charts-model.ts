import type { ChartModel, Series } from '@/components/shared/chart/chart'
import { amountOfCost, costOf, costOrigin, hasCost, unpricedText } from '@/components/traces/common/cost'
import { amountText, costText, NONE, secondsText } from '@/components/traces/common/format'
import { piecesOf, type Span } from '@/components/traces/common/span'
import type { TraceTotals } from '@/lib/contracts/traces/run-queries'
import { count } from '@/lib/format/format'
import { intervalName } from '@/lib/format/intervals'
import type { PriceBook } from '@/lib/traces/cost'

/**
 * The charts of a project. `whole` is the totals of the listed runs, `models` those of their model calls; `book` prices
 * calls without a logged cost.
 */
export function chartsOf(
  span: Span,
  whole: TraceTotals,
  models: TraceTotals,
  book: PriceBook | undefined,
): { times: string[]; charts: ChartModel[]; gaps: string[] } {
  const pieces = piecesOf(span, whole.buckets ?? [])
  const ofModels = piecesOf(span, models.buckets ?? [])
  type Totals = NonNullable<TraceTotals['buckets']>[number]
  const over = (from: typeof pieces, read: (bucket: Totals) => number | null | undefined) =>
    from.map(({ bucket }) => (bucket ? (read(bucket) ?? null) : null))
  const bar = (label: string, tone: string, values: (number | null)[]): Series => ({ label, kind: 'bar', tone, values })
  const line = (label: string, tone: string, values: (number | null)[]): Series => ({
    label,
    kind: 'line',
    tone,
    values,
  })
  const runs = whole.run_count ?? 0
  const errors = whole.error_count ?? 0
  const calls = models.model_usage ?? []
  const others = models.other_costs ?? []
  const costIn = (one: Pick<TraceTotals, 'total_cost'>, isIn: (start: string | null | undefined) => boolean) =>
    costOf(
      plus(
        logged(one.total_cost),
        others.filter(({ start_time }) => isIn(start_time)),
      ),
      calls.filter(({ start_time }) => isIn(start_time)),
      book,
    )
  const cost = costIn(models, () => true)
  const charts: ChartModel[] = [
    {
      title: 'Runs',
      total: errors > 0 ? `${count(runs)}, ${count(errors)} failed` : count(runs),
      format: count,
      series: [
        bar(
          'Failed',
          'text-error',
          over(pieces, (one) => one.error_count),
        ),
        bar(
          'Others',
          'text-accent',
          over(pieces, (one) => (one.run_count ?? 0) - (one.error_count ?? 0)),
        ),
      ],
    },
    quantiles('Latency', whole.latency_p50, whole.latency_p95, [
      line(
        'p95',
        'text-ink-3',
        over(pieces, (one) => one.latency_p95),
      ),
      line(
        'p50',
        'text-accent',
        over(pieces, (one) => one.latency_p50),
      ),
    ]),
    quantiles('First token of model calls', models.first_token_p50, models.first_token_p95, [
      line(
        'p95',
        'text-ink-3',
        over(ofModels, (one) => one.first_token_p95),
      ),
      line(
        'p50',
        'text-accent',
        over(ofModels, (one) => one.first_token_p50),
      ),
    ]),
    {
      title: 'Tokens',
      total: models.total_tokens
        ? `${amountText(models.prompt_tokens)} in, ${amountText(models.completion_tokens)} out`
        : NONE,
      format: count,
      series: [
        bar(
          'In',
          'text-accent',
          over(ofModels, (one) => one.prompt_tokens),
        ),
        bar(
          'Out',
          'text-ink-3',
          over(ofModels, (one) => one.completion_tokens),
        ),
      ],
    },
  ]
  // Without any known cost there is no chart, because zeros would be misleading.
  if (hasCost(cost)) {
    const byOthers = plus(null, others)
    const note = [
      cost.estimates.length > 0 ? costOrigin(cost) : '',
      byOthers === null ? '' : `${costText(byOthers)} of it by tools and retrievers`,
      cost.unpriced > 0 ? `${unpricedText(cost)}: no price for ${cost.unpricedModels.join(', ')}` : '',
    ].filter(Boolean)
    charts.push({
      title: 'Cost',
      // Short, because charts are narrow; the note has the details.
      total: [
        cost.total === null ? '' : amountOfCost(cost),
        cost.unpriced > 0 ? `${count(cost.unpriced)} unpriced` : '',
      ]
        .filter(Boolean)
        .join(', '),
      ...(note.length > 0 && { note: note.join('; ') }),
      format: costText,
      series: [
        bar(
          'Cost',
          'text-accent',
          over(ofModels, (one) => costIn(one, (start) => start === one.start_time).total),
        ),
      ],
    })
  }
  return { times: pieces.map(({ at }) => intervalName(at, span.step)), charts, gaps: gapsOf(whole, models) }
}

/** The metrics that the server cannot provide, as sentences below the charts. */
function gapsOf(whole: TraceTotals, models: TraceTotals): string[] {
  const gaps: string[] = []
  if (!whole.buckets) gaps.push('This server provides no figures over time. Charts show totals only.')
  if (!models.model_usage && models.total_tokens)
    gaps.push('Costs cover only calls whose price the server knows. Your prices apply to single runs only.')
  return gaps
}

/** The sum of the known amounts; null if none is known, which is not the same as zero. */
function plus(
  amount: string | number | null | undefined,
  more: readonly { total_cost?: string | number | null | undefined }[],
): number | null {
  const known = [amount, ...more.map(({ total_cost }) => total_cost)].filter((one) => one !== null && one !== undefined)
  return known.length === 0 ? null : known.reduce((sum: number, one) => sum + Number(one), 0)
}

/** Servers without a price report zero. */
const logged = (cost: string | number | null | undefined) => (Number(cost ?? 0) === 0 ? null : cost)

const quantiles = (
  title: string,
  p50: number | null | undefined,
  p95: number | null | undefined,
  series: Series[],
) => ({
  title,
  total: p50 === null || p50 === undefined ? NONE : `p50 ${secondsText(p50)}, p95 ${secondsText(p95)}`,
  note: '50% of runs are faster than p50, 95% faster than p95',
  format: secondsText,
  series,
})
