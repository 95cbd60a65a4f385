'use client'

import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { VisibleText } from '@/components/shared/text/visible-text'
import { count } from '@/lib/format/format'
import { pricesQuery } from '@/lib/queries/traces'
import { type Cost, NO_COST, PriceBook } from '@/lib/traces/cost'
import { callsOf, type LightRun } from '@/lib/traces/light-run'
import { costText } from './format'

/** The workspace's prices; undefined while loading, so that a price is not reported as missing too early. */
export function usePriceBook(workspace: string): PriceBook | undefined {
  const { data } = useQuery(pricesQuery(workspace))
  return useMemo(() => data && new PriceBook(data), [data])
}

/** Without prices, only the logged cost is known. */
export const costOf = (logged: Parameters<PriceBook['costOf']>[0], calls: Calls, book: PriceBook | undefined): Cost =>
  book
    ? book.costOf(logged, calls)
    : { ...NO_COST, total: logged === null || logged === undefined ? null : Number(logged) }
type Calls = Parameters<PriceBook['costOf']>[1]

export const costOfRun = (run: LightRun, book: PriceBook | undefined): Cost => costOf(run.cost, callsOf(run), book)

/** "2 calls without a price"; empty if all have one. */
export const unpricedText = ({ unpriced }: Cost): string =>
  unpriced === 0 ? '' : `${count(unpriced)} ${unpriced === 1 ? 'call' : 'calls'} without a price`

const missingText = ({ unpricedModels }: Cost): string => `no price for ${unpricedModels.join(', ')}`

/** A cost, with a note on the models without a price. */
export function CostText({ cost, isShort = false }: { cost: Cost; isShort?: boolean /** For narrow columns. */ }) {
  if (cost.unpriced === 0) return costText(cost.total)
  const missing = missingText(cost)
  if (cost.total === null)
    return (
      <span className="text-ink-3" title={missing}>
        {isShort ? 'no price' : <VisibleText>{missing}</VisibleText>}
      </span>
    )
  return (
    <span title={`${costText(cost.total)} and ${unpricedText(cost)}: ${missing}`}>
      {costText(cost.total)}
      <span className="text-ink-3">{isShort ? ' +?' : `, ${unpricedText(cost)}`}</span>
    </span>
  )
}

/** Whether there is a cost, or a missing price, to show. */
export const hasCost = ({ total, unpriced }: Cost): boolean => total !== null || unpriced > 0
