'use client'
import { useEffect, useReducer, useRef } from 'react'
import { duration } from '@/lib/format/format'
import { skewOf } from './server-clock'

type Props = {
  /** Epoch milliseconds by the server's clock. */
  from: number
  /** Undefined while it is running. */
  to: number | undefined
  /** The server's time when the page was rendered, because this machine's clock may be wrong. */
  serverNow: number
  /** When the server wrote the newest of what was received. */
  latest?: number | undefined
}

const EVERY_MS = 200

/** A duration that ticks while it is open. A separate component, so that nothing else renders with each tick. */
export function Elapsed({ from, to, serverNow, latest }: Props) {
  const [, tick] = useReducer((turn: number) => turn + 1, 0)
  /**
   * The offset between this machine's clock and the server's; unknown before hydration. The page takes a while to load,
   * which is counted as offset until something that is received sooner corrects it.
   */
  const skew = useRef<number>(undefined)
  useEffect(() => {
    skew.current = Math.min(skew.current ?? skewOf(serverNow), Date.now() - (latest ?? -Infinity))
    if (to !== undefined) return
    const timer = setTimeout(tick, EVERY_MS)
    return () => clearTimeout(timer)
  })
  const now = skew.current === undefined ? serverNow : Date.now() - skew.current
  return <span className="tabular-nums">{duration(Math.max(0, (to ?? Math.max(now, serverNow)) - from))}</span>
}
