'use client'
import { useEffect, useState } from 'react'
import { duration } from '@/lib/format'

type Props = {
  /** Epoch milliseconds of the server's clock. */
  from: number
  /** Absent while it goes on. */
  to: number | undefined
  /** The server's clock when the page was made: this machine's may be wrong. */
  serverNow: number
}

/** A duration that ticks while something goes on. Its own component, so that nothing else is drawn with each tick. */
export function Elapsed({ from, to, serverNow }: Props) {
  const [now, setNow] = useState(serverNow)
  useEffect(() => {
    if (to !== undefined) return
    const skew = Date.now() - serverNow
    const timer = setInterval(() => setNow(Date.now() - skew), 100)
    return () => clearInterval(timer)
  }, [to, serverNow])
  return <span className="tabular-nums">{duration(Math.max(0, (to ?? Math.max(now, serverNow)) - from))}</span>
}
