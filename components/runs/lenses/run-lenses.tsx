'use client'
import dynamic from 'next/dynamic'
import { useSearchParams } from 'next/navigation'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { LENSES, type Lens, lensTabs, useMoment } from '@/components/runs/view/moment'
import type { RunStore } from '@/components/runs/view/run-store'
import { useRunValue } from '@/components/runs/view/use-run-view'
import { LateNotice } from '@/components/shared/feedback/late-notice'
import { useSetSearch } from '@/components/shared/layout/use-set-search'
import { scrollPanel } from '@/components/ui/styles'
import { Tabs } from '@/components/ui/tabs'
import { cn } from '@/lib/cn'
import { count } from '@/lib/format/format'
import type { RecordingSummary } from '@/lib/stream/log'
import { EventsLens } from './events-lens'
import { RequestLens } from './request-lens'
import { StateLens } from './state-lens'
import { TranscriptLens } from './transcript-lens'

const StepsLens = dynamic(() => import('./steps/steps-lens').then(({ StepsLens }) => StepsLens))
const GraphLens = dynamic(() => import('./graph/graph-lens').then(({ GraphLens }) => GraphLens))
const ReplayPane = dynamic(() => import('@/components/runs/view/replay-pane').then(({ ReplayPane }) => ReplayPane))

type Props = {
  store: RunStore
  summary: RecordingSummary
  /** The page says why the run failed. */
  hasFailureCard?: boolean
  /** The page asks the run's questions. */
  hasQuestions?: boolean
  /** At the end of the line of lenses, on wide screens. */
  aside?: ReactNode
}

/** Several views of one log; with `replay` in the URL, of its replay. */
export function RunLenses({ store, ...props }: Props) {
  const setSearch = useSetSearch({ isLocal: true })
  const isReplay = useSearchParams().get('replay') === '1'
  const canReplay = useRunValue(store, mayReplay)
  const wasClosed = useRef(false)
  // The button that was pressed has gone, and the lenses are others.
  useEffect(() => {
    if (isReplay || !wasClosed.current) return
    wasClosed.current = false
    document.querySelector<HTMLElement>('[role="tablist"][aria-label="Lenses"] [aria-selected="true"]')?.focus()
  }, [isReplay])
  if (isReplay && canReplay)
    return (
      <ReplayPane
        log={store.view.log}
        onClose={() => {
          wasClosed.current = true
          setSearch({ replay: '' })
        }}
      >
        {(replayed) => <Lenses store={replayed} {...props} />}
      </ReplayPane>
    )
  return <Lenses store={store} {...props} />
}

/** Whether the recording has ended and is loaded from its first entry. */
export const mayReplay = ({ view }: RunStore): boolean => !!view.final && view.log.first === 1

/** Whether the run ended without messages, so that its transcript is empty. */
const endedMute = ({ view }: RunStore): boolean => !!view.final && view.transcript.messages.length === 0

const hasFailed = ({ view }: RunStore): boolean => view.outcome === 'error' || view.outcome === 'timeout'

export function Lenses({ store, aside, ...props }: Props) {
  const { lens: chosen, isDefault, open } = useMoment()
  // Nothing moves at the end of a run that somebody looks at, unless its failure comes above it.
  const [wasOver] = useState(props.summary.phase === 'ended')
  const isMute = useRunValue(store, endedMute)
  const isFailed = useRunValue(store, hasFailed)
  const lens = isDefault && isMute && (wasOver || isFailed) ? 'steps' : chosen
  return (
    <Tabs
      label="Lenses"
      aside={aside}
      value={lens}
      onValueChange={(value) => open(value as Lens) /* a tab below */}
      // So that a question is whole on most small screens, and only the lens scrolls.
      className={cn('base:min-h-72 flex-1 [&>[role=tabpanel]]:pt-2', props.hasQuestions && 'max-sm:min-h-44')}
      tabs={lensTabs(LENSES).map((tab) =>
        tab.value === 'events' ? { ...tab, label: <EventsLabel store={store} /> } : tab,
      )}
    >
      <div data-fills-page="always" className={cn('h-full', scrollPanel)}>
        <OpenLens lens={lens} store={store} {...props} />
      </div>
    </Tabs>
  )
}

/** `side` distinguishes two lenses on one page. */
export function OpenLens({
  lens,
  store,
  summary,
  hasFailureCard,
  hasQuestions,
  side,
}: Props & { lens: Lens; side?: string }) {
  const isUnheard = useRunValue(store, isLoading)
  const isRefused = useRunValue(store, hasError)
  if (isUnheard && lens !== 'request')
    return (
      <div className="space-y-1 px-3 py-10 text-center text-ink-3 text-sm">
        <p>{isRefused ? 'Nothing of the recording has been read yet.' : 'Loading recording…'}</p>
        {isRefused ? null : <LateNotice />}
      </div>
    )
  switch (lens) {
    case 'steps':
      return <StepsLens store={store} summary={summary} />
    case 'graph':
      return <GraphLens store={store} side={side} />
    case 'state':
      return <StateLens store={store} />
    case 'events':
      return <EventsLens store={store} />
    case 'request':
      return <RequestLens request={summary.request} />
    case 'transcript':
      return <TranscriptLens {...{ store, side, hasFailureCard, hasQuestions }} />
  }
}

/** Before the first response it is unknown whether the run has written anything. */
const isLoading = ({ phase, view }: RunStore): boolean => phase === undefined && view.seq === 0
const hasError = ({ error }: RunStore): boolean => error !== undefined
const entriesOf = (store: RunStore) => (isLoading(store) ? null : store.view.log.last)

function EventsLabel({ store }: { store: RunStore }) {
  const entries = useRunValue(store, entriesOf)
  return (
    <>
      Events
      {entries === null ? null : (
        <span className="rounded-sm bg-sunken px-1 text-2xs text-ink-3 tabular-nums">{count(entries)}</span>
      )}
    </>
  )
}
