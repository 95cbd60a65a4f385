'use client'

import { useQuery } from '@tanstack/react-query'
import dynamic from 'next/dynamic'
import { useSearchParams } from 'next/navigation'
import { useState } from 'react'
import { ErrorNotice } from '@/components/shared/error-notice'
import { useSetSearch } from '@/components/shared/use-set-search'
import { Tabs } from '@/components/ui/tabs'
import type { ErrorView } from '@/lib/errors'
import { count } from '@/lib/format'
import type { RecordingSummary } from '@/lib/stream/log'
import { EventsLens } from './events-lens'
import { LiveAnnouncer } from './live-announcer'
import { findAssistant, pickableAssistants } from './pickable-assistants'
import { RequestLens } from './request-lens'
import { RunHeader } from './run-header'
import type { RunStore } from './run-store'
import { StateLens } from './state-lens'
import { TranscriptLens } from './transcript-lens'
import { useRunValue, useRunView } from './use-run-view'

// Most runs ask nothing.
const AnswerPanel = dynamic(() => import('./answer/answer-panel').then(({ AnswerPanel }) => AnswerPanel))

type Props = {
  summary: RecordingSummary
  /** The server's clock when the page was made. */
  serverNow: number
}

/** One recorded run, live or over: its head, and several lenses over the one log. */
export function RunScreen({ summary, serverNow }: Props) {
  const assistants = useQuery(pickableAssistants(summary.workspace, summary.deployment))
  const assistant = findAssistant(assistants.data, summary.assistant)
  const store = useRunView(summary.workspace, summary.id)
  const problem = useRunValue(store, problemOf)
  const [cancelling, setCancelling] = useState<'no' | 'asked'>('no')
  const [cancelError, setCancelError] = useState<ErrorView>()
  const setSearch = useSetSearch({ isLocal: true })
  const lens = useSearchParams().get('lens') ?? 'transcript'
  return (
    <>
      <RunHeader
        summary={summary}
        assistantName={assistant?.name || assistant?.graph_id}
        serverNow={serverNow}
        store={store}
        isCancelling={cancelling === 'asked'}
        onCancelling={() => {
          setCancelError(undefined)
          setCancelling('asked')
        }}
        onCancelFailed={(error) => {
          setCancelError(error)
          setCancelling('no')
        }}
      />
      {problem ? <ErrorNotice error={{ message: problem }} className="mb-3" /> : null}
      {cancelError ? <ErrorNotice error={cancelError} className="mb-3" /> : null}
      <Waiting summary={summary} store={store} />
      <Tabs
        label="Lenses"
        value={lens}
        onValueChange={(value) => setSearch({ lens: value === 'transcript' ? '' : value })}
        className="min-h-[28rem] flex-1 [&>[role=tabpanel]]:pt-3"
        tabs={[
          { value: 'transcript', label: 'Transcript' },
          { value: 'state', label: 'State' },
          { value: 'events', label: <EventsLabel store={store} /> },
          { value: 'request', label: 'Request' },
        ]}
      >
        <div className="h-[max(24rem,calc(100dvh-22rem))] overflow-hidden rounded-lg border bg-panel">
          {lens === 'state' ? (
            <StateLens store={store} />
          ) : lens === 'events' ? (
            <EventsLens store={store} />
          ) : lens === 'request' ? (
            <RequestLens request={summary.request} />
          ) : (
            <TranscriptLens store={store} />
          )}
        </div>
      </Tabs>
      <LiveAnnouncer store={store} />
    </>
  )
}

/** What an ended run waits for, where it waits for something. */
function Waiting({ summary, store }: { summary: RecordingSummary; store: RunStore }) {
  const isWaiting = useRunValue(store, isWaitingForPerson)
  if (!isWaiting) return null
  const { view } = store
  const thread = summary.isStateless ? null : (summary.thread ?? view.run.thread ?? null)
  return <AnswerPanel summary={summary} thread={thread} questions={[...view.interrupts.values()]} next={view.next} />
}

const isWaitingForPerson = ({ view }: RunStore) => {
  const outcome = view.final?.outcome
  const hasQuestion =
    view.interrupts.size > 0 && (outcome === 'waiting' || outcome === 'interrupted' || outcome === 'success')
  return hasQuestion || (outcome === 'interrupted' && view.next.length > 0)
}
const problemOf = (store: RunStore) => store.error?.message
const entriesOf = (store: RunStore) => store.view.log.last

const EventsLabel = ({ store }: { store: RunStore }) => (
  <>
    Events
    <span className="rounded-sm bg-sunken px-1 text-2xs text-ink-3 tabular-nums">
      {count(useRunValue(store, entriesOf))}
    </span>
  </>
)
