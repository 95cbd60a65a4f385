'use client'

import type { Route } from 'next'
import Link from 'next/link'
import { type CSSProperties, useState } from 'react'
import { VisibleText } from '@/components/shared/text/visible-text'
import { CostText, costOf } from '@/components/traces/common/cost'
import { amountText, NONE, timeText } from '@/components/traces/common/format'
import { TypeMark } from '@/components/traces/common/run-badges'
import { Button } from '@/components/ui/button'
import { cn } from '@/lib/cn'
import { count } from '@/lib/format/format'
import type { ComparedPath, PathSum } from '@/lib/traces/compare'
import type { PriceBook } from '@/lib/traces/cost'

const FIRST = 200
/** Deeper levels show their depth as a number instead of more indentation. */
const MAX_INDENT = 12

type Props = {
  rows: readonly ComparedPath[]
  book: PriceBook | undefined
  href: (which: 'a' | 'b', run: string) => Route
}

/** Each path of run names, with the metrics of its runs in both traces. */
export function ComparedTable({ rows, book, href }: Props) {
  const [shown, setShown] = useState(FIRST)
  return (
    <>
      <div className="overflow-x-auto rounded-lg border bg-panel">
        <table aria-label="Compared runs" className="w-full border-collapse text-left text-xs tabular-nums">
          <thead>
            <tr className="bg-sunken text-ink-3 [&>th]:h-8 [&>th]:whitespace-nowrap [&>th]:px-3 [&>th]:font-medium">
              <th scope="col">Run</th>
              {['Runs', 'Took', 'Tokens', 'Cost'].flatMap((name) =>
                ['A', 'B'].map((side) => (
                  <th key={`${name} ${side}`} scope="col" className="text-right">
                    {name} {side}
                  </th>
                )),
              )}
              <th scope="col" className="text-right">
                Difference
              </th>
            </tr>
          </thead>
          <tbody className="[&_td]:whitespace-nowrap">
            {rows.slice(0, shown).map(({ path, type, a, b }) => (
              <tr key={JSON.stringify(path)} className={cn('border-t', !(a && b) && 'bg-warn-soft/50')}>
                <th scope="row" className="h-8 max-w-44 px-3 sm:max-w-96 font-normal">
                  <span
                    className="flex items-center gap-1.5 pl-[calc(var(--depth)*4px)] sm:pl-[calc(var(--depth)*13px)]"
                    style={{ '--depth': Math.min(path.length - 1, MAX_INDENT) } as CSSProperties}
                  >
                    {path.length - 1 > MAX_INDENT ? (
                      <span className="text-2xs text-ink-3">{path.length - 1}</span>
                    ) : null}
                    <TypeMark type={type} />
                    <span className="truncate" title={path.join(' › ')}>
                      <VisibleText>{path.at(-1) || 'without a name'}</VisibleText>
                    </span>
                    {a && b ? null : <span className="shrink-0 text-warn">only in {a ? 'A' : 'B'}</span>}
                  </span>
                </th>
                <Runs sum={a} href={a && href('a', a.first.run.id)} side="A" />
                <Runs sum={b} href={b && href('b', b.first.run.id)} side="B" />
                <td className="px-3 text-right">{timeText(a?.latency)}</td>
                <td className="px-3 text-right">{timeText(b?.latency)}</td>
                <td className="px-3 text-right">{amountText(a?.tokens)}</td>
                <td className="px-3 text-right">{amountText(b?.tokens)}</td>
                {[a, b].map((sum, side) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: always two sides
                  <td key={side} className="whitespace-nowrap px-3 text-right">
                    <CostText cost={costOf(sum?.logged, sum?.calls ?? [], book)} isShort />
                  </td>
                ))}
                <td className="whitespace-nowrap px-3 text-right">{differenceOf(a, b)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {rows.length > shown ? (
        <Button variant="ghost" size="sm" className="mt-2" onClick={() => setShown(shown * 5)}>
          Show more ({count(rows.length - shown)})
        </Button>
      ) : null}
    </>
  )
}

function Runs({ sum, href, side }: { sum: PathSum | undefined; href: Route | undefined; side: string }) {
  if (!sum || !href) return <td className="px-3 text-right text-ink-3">{NONE}</td>
  return (
    <td className="whitespace-nowrap px-3 text-right">
      <Link href={href} className="underline" aria-label={`${count(sum.count)} in ${side}, open the first`}>
        {count(sum.count)}
      </Link>
      {sum.errors > 0 ? <span className="text-error"> {count(sum.errors)} failed</span> : null}
    </td>
  )
}

/** How much longer or shorter it took. Differences below 1 ms count as equal. */
function differenceOf(a: PathSum | undefined, b: PathSum | undefined): string {
  if (a?.latency === null || b?.latency === null || !a || !b) return ''
  const by = b.latency - a.latency
  return Math.abs(by) < 1 ? 'as long' : `${timeText(Math.abs(by))} ${by > 0 ? 'longer' : 'shorter'}`
}
