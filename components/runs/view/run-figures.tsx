'use client'

import { Figure } from '@/components/shared/layout/section-header'
import { StatusBadge } from '@/components/ui/badge'
import { count, duration } from '@/lib/format/format'
import type { RecordingSummary } from '@/lib/stream/log'
import { timeToFirstToken } from '@/lib/stream/run-view'
import { ConnectionBadge } from './connection-badge'
import { Elapsed } from './elapsed'
import { runStatus } from './run-status'
import type { RunStore } from './run-store'
import { useRunVersion } from './use-run-view'

type Props = { summary: RecordingSummary; serverNow: number; store: RunStore; isCancelling: boolean }

/** What of a run's head moves while it goes on. */
export function RunFigures({ summary, serverNow, store, isCancelling }: Props) {
  useRunVersion(store)
  const { view } = store
  const status = runStatus({
    phase: view.final ? 'ended' : (store.phase ?? summary.phase),
    outcome: view.final?.outcome ?? (summary.phase === 'ended' ? summary.outcome : null),
    isWaitingForHuman: view.interrupts.size > 0,
    isCancelling,
  })
  const startedAt = view.startedAt ?? Date.parse(summary.startedAt)
  const endedAt = view.endedAt ?? (summary.endedAt ? Date.parse(summary.endedAt) : undefined)
  const firstToken = timeToFirstToken(view)
  const { usage } = view.transcript
  return (
    <>
      <StatusBadge tone={status.tone} title={status.detail}>
        {status.label}
      </StatusBadge>
      <ConnectionBadge store={store} />
      <Figure label="Duration">
        <Elapsed
          from={startedAt}
          to={status.isOver ? (endedAt ?? view.lastAt ?? startedAt) : undefined}
          serverNow={serverNow}
        />
      </Figure>
      <Figure label="First token" title="From the start of the recording to the first word of a model">
        {firstToken === undefined ? '–' : duration(firstToken)}
      </Figure>
      <Figure label="Tokens" title={`${count(usage.input)} in, ${count(usage.output)} out, as far as the models said`}>
        {usage.total > 0 ? count(usage.total) : '–'}
      </Figure>
      <Figure label="Attempt">{view.run.attempt}</Figure>
    </>
  )
}
