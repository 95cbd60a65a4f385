'use client'

import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { VisibleText } from '@/components/shared/text/visible-text'
import { count } from '@/lib/format/format'
import { pricesQuery } from '@/lib/queries/traces'
import { type Cost, NO_COST, PriceBook } from '@/lib/traces/cost'
import { callsOf, type LightRun } from '@/lib/traces/light-run'
import { costText, NONE } from './format'

/** The workspace's prices; undefined while loading, so that a price is not reported as missing too early. */
export function usePriceBook(workspace: string): PriceBook | undefined {
  const { data } = useQuery(pricesQuery(workspace))
  return useMemo(() => data && new PriceBook(data), [data])
}

/** Without prices, only the logged cost is known. */
export const costOf = (logged: Parameters<PriceBook['costOf']>[0], calls: Calls, book: PriceBook | undefined): Cost =>
  book
    ? book.costOf(logged, calls)
    : logged === null || logged === undefined
      ? NO_COST
      : { ...NO_COST, total: Number(logged), isLogged: true }
type Calls = Parameters<PriceBook['costOf']>[1]

export const costOfRun = (run: LightRun, book: PriceBook | undefined): Cost => costOf(run.cost, callsOf(run), book)

/** "2 calls without a price"; empty if all have one. */
export const unpricedText = ({ unpriced }: Cost): string =>
  unpriced === 0 ? '' : `${count(unpriced)} ${unpriced === 1 ? 'call' : 'calls'} without a price`

const missingText = ({ unpricedModels }: Cost): string => `no price for ${unpricedModels.join(', ')}`

/** The prices that a cost was estimated from; the first one names itself, because most traces have one model. */
export const estimatesText = ({ estimates }: Cost): string =>
  [estimates[0], estimates.length > 1 ? `${count(estimates.length - 1)} more` : ''].filter(Boolean).join(' and ')

/** Where a known cost comes from. */
export function costOrigin({ isLogged, estimates }: Cost): string {
  if (estimates.length === 0) return 'Logged with the run'
  return `${isLogged ? 'Partly logged, the rest estimated' : 'Estimated'} from ${estimates.join('; ')}`
}

/** "≈$0.0123": an amount that prices were used for is marked. */
export const amountOfCost = (cost: Cost): string => `${cost.estimates.length > 0 ? '≈' : ''}${costText(cost.total)}`

/** A cost with its origin, and a note on the models without a price. */
export function CostText({ cost, isShort = false }: { cost: Cost; isShort?: boolean /** For narrow columns. */ }) {
  const missing = missingText(cost)
  if (cost.total === null)
    return cost.unpriced === 0 ? (
      NONE
    ) : (
      <span className="text-ink-3" title={missing}>
        {isShort ? 'no price' : <VisibleText>{missing}</VisibleText>}
      </span>
    )
  const unpriced = unpricedText(cost)
  return (
    <span title={[costOrigin(cost), unpriced && `${unpriced}: ${missing}`].filter(Boolean).join('\n')}>
      {amountOfCost(cost)}
      {unpriced ? <span className="text-ink-3">{isShort ? ' +?' : `, ${unpriced}`}</span> : null}
    </span>
  )
}

/** Whether there is a cost, or a missing price, to show. */
export const hasCost = ({ total, unpriced }: Cost): boolean => total !== null || unpriced > 0
