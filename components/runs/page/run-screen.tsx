'use client'

import { useQuery } from '@tanstack/react-query'
import dynamic from 'next/dynamic'
import { useMemo, useState } from 'react'
import { isWaitingForInput, useIsContinued } from '@/components/runs/answer/use-is-continued'
import { RunLenses } from '@/components/runs/lenses/run-lenses'
import { LiveAnnouncer } from '@/components/runs/view/live-announcer'
import { RunProgress, statusOf } from '@/components/runs/view/run-figures'
import { RunPlace } from '@/components/runs/view/run-place'
import type { RunStore } from '@/components/runs/view/run-store'
import { useRunValue, useRunView } from '@/components/runs/view/use-run-view'
import { ErrorNotice } from '@/components/shared/feedback/error-notice'
import { usePageTitle } from '@/components/shared/layout/page-title'
import { useOpened } from '@/components/shared/layout/recent'
import { yieldsToFill } from '@/components/ui/styles'
import type { ErrorView } from '@/lib/errors'
import { isUuid } from '@/lib/json/guards'
import { findAssistant, pickableAssistants } from '@/lib/queries/assistants'
import { deploymentQuery } from '@/lib/queries/deployments'
import { routes } from '@/lib/routes'
import type { RecordingSummary } from '@/lib/stream/log'
import { askedText } from '@/lib/stream/thread-rows'
import { RunHeader } from './run-header'

// Loaded on demand, because most runs ask nothing.
const AnswerPanel = dynamic(() =>
  import('@/components/runs/answer/answer-panel').then(({ AnswerPanel }) => AnswerPanel),
)

// Loaded on demand, because most runs succeed.
const FailureCard = dynamic(() => import('./failure-card').then(({ FailureCard }) => FailureCard))

type Props = {
  summary: RecordingSummary
  /** Of the assistant, as the server of the deployment told it last. */
  assistantName?: string
  /** The server's time when the page was rendered. */
  serverNow: number
}

/** One recorded run, live or ended: its header and several views of its log. */
export function RunScreen({ summary, assistantName, serverNow }: Props) {
  const assistants = useQuery(pickableAssistants(summary.workspace, summary.deployment))
  const assistant = findAssistant(assistants.data, summary.assistant)
  const name = assistant?.name || assistant?.graph_id || assistantName
  const isGone = useQuery(deploymentQuery(summary.workspace, summary.deployment)).error?.code === 'not_found'
  const store = useRunView(summary.workspace, summary.id)
  const problem = useRunValue(store, problemOf)
  const [cancelling, setCancelling] = useState<'no' | 'asked'>('no')
  const [cancelError, setCancelError] = useState<ErrorView>()
  const liveThread = useRunValue(store, threadOf)
  const thread = summary.isStateless ? null : (summary.thread ?? liveThread ?? null)
  const isContinued = useIsContinued(summary, thread, store)
  const isWaiting = useRunValue(store, isWaitingForInput)
  const isEnded = useRunValue(store, hasEnded)
  const { workspace, deployment: deploymentId } = summary
  const asked = useMemo(() => askedText(summary.request), [summary.request])
  useOpened(routes.recording(workspace, deploymentId, summary.id), 'Run', asked)
  const isCancelling = cancelling === 'asked'
  const label = useRunValue(store, () => statusOf(store, { summary, isContinued, isCancelling }).label)
  const called = name ?? (isUuid(summary.assistant) ? 'Run' : summary.assistant)
  usePageTitle([label, called, asked].filter(Boolean).join(' · '))
  const place = useMemo(
    () => ({ workspace, deploymentId, assistant: summary.assistant, thread }),
    [workspace, deploymentId, summary.assistant, thread],
  )
  return (
    <>
      <RunHeader
        summary={summary}
        assistantName={name}
        serverNow={serverNow}
        store={store}
        isGone={isGone}
        isCancelling={isCancelling}
        isContinued={isContinued}
        onCancelling={() => {
          setCancelError(undefined)
          setCancelling('asked')
        }}
        onCancelFailed={(error) => {
          setCancelError(error)
          setCancelling('no')
        }}
      />
      {problem ? <ErrorNotice error={{ message: problem }} onRetry={store.retry} className="mb-3" /> : null}
      {cancelError ? <ErrorNotice error={cancelError} className="mb-3" /> : null}
      <FailureCard {...{ summary, store, thread, isGone }} isBelowHeader className={yieldsToFill} />
      {isWaiting && !isGone ? <Waiting {...{ summary, store, thread, isContinued }} /> : null}
      <RunPlace value={isGone ? undefined : place}>
        <RunLenses
          {...{ store, summary }}
          aside={<RunProgress {...{ store, summary }} />}
          hasFailureCard
          // Those of a run that has not ended come in a moment.
          hasQuestions={(isWaiting || !isEnded) && thread !== null && !isContinued && !isGone}
        />
      </RunPlace>
      <LiveAnnouncer store={store} isStateless={summary.isStateless} />
    </>
  )
}

type WaitingProps = { summary: RecordingSummary; store: RunStore; thread: string | null; isContinued: boolean }

/** The open questions of an ended run. */
const Waiting = ({ store, ...props }: WaitingProps) => (
  <div className={yieldsToFill}>
    <AnswerPanel {...props} questions={[...store.view.interrupts.values()]} next={store.view.next} />
  </div>
)

const hasEnded = ({ view }: RunStore) => view.final !== undefined
const threadOf = (store: RunStore) => store.view.run.thread
const problemOf = (store: RunStore) => store.error?.message
