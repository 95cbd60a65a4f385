'use client'

import { MessagesSquare, Play } from 'lucide-react'
import Link from 'next/link'
import { IdChip } from '@/components/shared/id-chip'
import { RelativeTime } from '@/components/shared/relative-time'
import { Figure, SectionHeader } from '@/components/shared/section-header'
import { StatusBadge } from '@/components/ui/badge'
import { Button } from '@/components/ui/button'
import type { ErrorView } from '@/lib/errors'
import { count, duration } from '@/lib/format'
import { routes } from '@/lib/routes'
import type { RecordingSummary } from '@/lib/stream/log'
import { timeToFirstToken } from '@/lib/stream/run-view'
import { CancelMenu } from './cancel-menu'
import { ConnectionBadge } from './connection-badge'
import { Elapsed } from './elapsed'
import { runStatus } from './run-status'
import type { RunStore } from './run-store'

type Props = {
  summary: RecordingSummary
  assistantName?: string
  serverNow: number
  store: RunStore
  /** Moves when the store has something new. */
  version: number
  isCancelling: boolean
  onCancelling: () => void
  onCancelFailed: (error: ErrorView) => void
}

/** The head of a run: its state, its figures, and what may be done with it. */
export function RunHeader({
  summary,
  assistantName,
  serverNow,
  store,
  isCancelling,
  onCancelling,
  onCancelFailed,
}: Props) {
  const { view } = store
  const { workspace, deployment, assistant } = summary
  const thread = summary.isStateless ? null : (summary.thread ?? view.run.thread ?? null)
  const run = view.run.id ?? summary.run
  const outcome = view.final?.outcome ?? (summary.phase === 'ended' ? summary.outcome : null)
  const status = runStatus({
    phase: view.final ? 'ended' : (store.phase ?? summary.phase),
    outcome,
    isWaitingForHuman: view.interrupts.size > 0,
    isCancelling,
  })
  const startedAt = view.startedAt ?? Date.parse(summary.startedAt)
  const endedAt = view.endedAt ?? (summary.endedAt ? Date.parse(summary.endedAt) : undefined)
  const firstToken = timeToFirstToken(view)
  const { usage } = view.transcript
  return (
    <SectionHeader
      title={<span title={assistantName ?? assistant}>{assistantName ?? assistant}</span>}
      meta={
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
          <Figure
            label="Tokens"
            title={`${count(usage.input)} in, ${count(usage.output)} out, as far as the models said`}
          >
            {usage.total > 0 ? count(usage.total) : '–'}
          </Figure>
          <Figure label="Attempt">{view.run.attempt}</Figure>
        </>
      }
      actions={
        <>
          {status.isOver ? null : (
            <CancelMenu
              summary={summary}
              isCancelling={isCancelling}
              onCancelling={onCancelling}
              onFailed={onCancelFailed}
            />
          )}
          {thread ? (
            <Button asChild>
              <Link href={routes.thread(workspace, deployment, thread)}>
                <MessagesSquare aria-hidden />
                Open thread
              </Link>
            </Button>
          ) : null}
          <Button asChild>
            <Link href={routes.newRun(workspace, deployment, { assistant, thread: thread ?? undefined })}>
              <Play aria-hidden />
              {thread ? 'Run again on this thread' : 'Run again'}
            </Link>
          </Button>
        </>
      }
    >
      <div className="mt-1.5 flex flex-wrap items-center gap-x-4 gap-y-1 text-ink-3 text-xs">
        {run ? (
          <Figure label="Run">
            <IdChip id={run} what="run id" />
          </Figure>
        ) : null}
        <Figure label="Thread">
          {summary.isStateless ? (
            <span title="A stateless run has no thread: its output is only in this recording.">
              none, not persisted
            </span>
          ) : thread ? (
            <IdChip id={thread} what="thread id" />
          ) : (
            '–'
          )}
        </Figure>
        <Figure label="Started">
          <RelativeTime at={summary.startedAt} /> by{' '}
          <span className="max-w-48 truncate" title={summary.startedBy}>
            {summary.startedBy}
          </span>
        </Figure>
      </div>
    </SectionHeader>
  )
}
