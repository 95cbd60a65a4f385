'use client'
import { Notice } from '@/components/shared/feedback/notice'
import { makeClock } from '@/components/shared/text/clock'
import { MOST_WAIT_MS } from '@/lib/contracts/wire/exchange'
import { duration } from '@/lib/format/format'

const useSecond = makeClock(1_000)

type Props = {
  /** When the request was sent (local clock); undefined when none is pending. */
  since: number | undefined
  wasStopped: boolean
}

/** Shows how long a request has been pending, or that the user stopped waiting for it. */
export function Waiting({ since, wasStopped }: Props) {
  if (since !== undefined)
    return (
      <p role="status" className="text-ink-3 text-xs">
        Waiting for a response
        <span aria-hidden className="tabular-nums">
          : <Ticking since={since} />
        </span>
        . Times out after {MOST_WAIT_MS / 60_000} minutes.
      </p>
    )
  if (!wasStopped) return null
  return <Notice>Stopped waiting. The agent may still be running on the server.</Notice>
}

function Ticking({ since }: { since: number }) {
  const now = useSecond()
  return <>{duration(Math.max(0, now - since))}</>
}
