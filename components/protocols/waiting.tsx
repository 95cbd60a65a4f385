'use client'
import { Notice } from '@/components/shared/feedback/notice'
import { makeClock } from '@/components/shared/text/clock'
import { MOST_WAIT_MS } from '@/lib/contracts/wire/exchange'
import { duration } from '@/lib/format/format'

const useSecond = makeClock(1_000)

type Props = {
  /** When it was asked, by this machine's clock; absent while nothing is waited for. */
  since: number | undefined
  wasStopped: boolean
}

/** That an answer is waited for, how long already and how long at most; and afterwards, that the waiting was ended by hand. */
export function Waiting({ since, wasStopped }: Props) {
  if (since !== undefined)
    return (
      <p role="status" className="text-ink-3 text-xs">
        Waiting for the answer
        <span aria-hidden className="tabular-nums">
          : <Ticking since={since} />
        </span>
        . It may take up to {MOST_WAIT_MS / 60_000} minutes; Stop ends the waiting.
      </p>
    )
  if (!wasStopped) return null
  return (
    <Notice>
      The waiting was stopped here. Whether the agent works on is up to its server: what it has begun it may still do.
    </Notice>
  )
}

function Ticking({ since }: { since: number }) {
  const now = useSecond()
  return <>{duration(Math.max(0, now - since))}</>
}
