'use client'
import { useEffect, useReducer, useRef } from 'react'
import { duration } from '@/lib/format/format'

type Props = {
  /** Epoch milliseconds of the server's clock. */
  from: number
  /** Absent while it goes on. */
  to: number | undefined
  /** The server's clock when the page was made: this machine's may be wrong. */
  serverNow: number
}

const EVERY_MS = 200

/**
 * A duration that ticks while something goes on. Its own component, so that nothing else is drawn with each tick; what is
 * drawn with the page around it needs no tick of its own.
 */
export function Elapsed({ from, to, serverNow }: Props) {
  const [, tick] = useReducer((turn: number) => turn + 1, 0)
  /** Between this machine's clock and the server's; not known before the page is there. */
  const skew = useRef<number>(undefined)
  useEffect(() => {
    skew.current ??= Date.now() - serverNow
    if (to !== undefined) return
    const timer = setTimeout(tick, EVERY_MS)
    return () => clearTimeout(timer)
  })
  const now = skew.current === undefined ? serverNow : Date.now() - skew.current
  return <span className="tabular-nums">{duration(Math.max(0, (to ?? Math.max(now, serverNow)) - from))}</span>
}
