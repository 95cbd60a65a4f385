'use client'
import dynamic from 'next/dynamic'
import Link from 'next/link'
import { type ReactNode, useEffect, useMemo } from 'react'
import { TranscriptRowView } from '@/components/runs/lenses/transcript-lens'
import {
  besideFailure,
  besideQuestions,
  noResultOf,
  transcriptRowAt,
  transcriptRows,
} from '@/components/runs/lenses/transcript-rows'
import { useMoment } from '@/components/runs/view/moment'
import { RunFigures } from '@/components/runs/view/run-figures'
import type { RunStore } from '@/components/runs/view/run-store'
import { useRunValue, useRunVersion } from '@/components/runs/view/use-run-view'
import { VirtualFeed } from '@/components/shared/layout/virtual-feed'
import { routes } from '@/lib/routes'
import type { RecordingSummary } from '@/lib/stream/log'
import type { RunMessage } from '@/lib/stream/messages'
import { createRunView } from '@/lib/stream/run-view'
import { askedIn, conversationOf } from './conversation-messages'

// Without rendering on the server, because that makes loading one hide the whole page, with the field that has the focus.
const FailureCard = dynamic(
  () => import('@/components/runs/page/failure-card').then(({ FailureCard }) => FailureCard),
  { ssr: false },
)
const StateLens = dynamic(() => import('@/components/runs/lenses/state-lens').then(({ StateLens }) => StateLens), {
  ssr: false,
})

type Props = {
  /** The run to show, and whether it still describes the thread. */
  current: RecordingSummary | undefined
  isRunShown: boolean
  isActive: boolean
  store: RunStore
  /** The conversation before the run, and whether it already has what the run was asked. */
  before: readonly RunMessage[]
  isAskedKnown: boolean
  /** Runs that wait for this one. */
  waiting: readonly RecordingSummary[]
  thread: string | null
  serverNow: number
  isStopping: boolean
  /** Names it to screen readers, if there are several. */
  label?: string
  empty: ReactNode
  /** Tells what is shown, whenever it changes. */
  onShown: (messages: readonly RunMessage[]) => void
  /** The actions on a message, or its editor in place of it. */
  verbsOf: (message: RunMessage) => ReactNode
  editorOf: (message: RunMessage) => ReactNode
  isEditing: boolean
}

type Row = { key: string; draw: () => ReactNode }

const NO_RUN = createRunView()

/** The messages of a thread and the run that writes them, in one list. */
export function Conversation(props: Props) {
  const { current, isRunShown, isActive, store, before, isAskedKnown, waiting, onShown, empty } = props
  const version = useRunVersion(store)
  const { at } = useMoment()
  const asked = useMemo(
    () => (current && !isAskedKnown ? askedIn(current.request, current.id) : []),
    [current, isAskedKnown],
  )
  const others = useMemo(() => waiting.flatMap((one) => askedIn(one.request, one.id)), [waiting])
  const { view } = store
  // biome-ignore lint/correctness/useExhaustiveDependencies: the view is mutated in place; its version signals changes
  const messages = useMemo(
    () => (isRunShown ? conversationOf(before, isActive ? asked : [], view) : before),
    [isRunShown, isActive, before, asked, view, version],
  )
  useEffect(() => onShown(messages), [onShown, messages])
  // biome-ignore lint/correctness/useExhaustiveDependencies: as above
  const items = useMemo(() => {
    const shown = isRunShown ? view : NO_RUN
    // Failures and questions are shown in panels of their own.
    return besideQuestions(besideFailure(transcriptRows(shown, messages), shown))
  }, [isRunShown, view, messages, version])
  const index = at === undefined || !isRunShown ? -1 : transcriptRowAt(items, at)
  const rows: Row[] = items.map((row, position) => ({
    key: row.key,
    draw: () =>
      (row.item && props.editorOf(row.item.message)) || (
        <TranscriptRowView
          row={row}
          isMoment={at !== undefined && position === index}
          noResult={isRunShown ? noResultOf(view) : undefined}
          verbs={row.item ? props.verbsOf(row.item.message) : null}
        />
      ),
  }))
  if (current && isRunShown)
    rows.push({ key: `run-${current.id}`, draw: () => <RunLine {...props} summary={current} /> })
  for (const message of others) rows.push({ key: message.key, draw: () => <Queued message={message} /> })
  const hasState = items.length === 0 && isRunShown && view.values.has('')
  if (hasState && current) {
    const line = (
      <div className="mx-auto w-full max-w-4xl shrink-0 px-3 py-2">
        <RunLine {...props} summary={current} />
      </div>
    )
    // Why it failed comes first.
    const isFailed = hasFailed(store)
    return (
      <div className="flex h-full min-h-0 flex-col overflow-y-auto">
        {isFailed ? line : null}
        <div className="min-h-40 flex-1 overflow-hidden">
          <StateLens store={store} />
        </div>
        {isFailed ? null : line}
      </div>
    )
  }
  return (
    <VirtualFeed
      label={props.label ?? 'Conversation'}
      count={rows.length}
      keyOf={(position) => rows[position]?.key ?? String(position)}
      row={(position) => rows[position]?.draw()}
      empty={empty}
      isLive={isActive}
      isHeld={props.isEditing}
      target={index >= 0 ? { index, token: String(at) } : undefined}
    />
  )
}

/** How the run is doing, below what it wrote; why it failed, if it did. */
function RunLine({ summary, store, thread, serverNow, isStopping }: Props & { summary: RecordingSummary }) {
  const isFailed = useRunValue(store, hasFailed)
  return (
    <div className="space-y-2">
      {isFailed ? <FailureCard {...{ summary, store, thread }} isGone={false} /> : null}
      <p className="flex flex-wrap items-center gap-x-4 gap-y-1 px-1">
        <RunFigures {...{ summary, store, serverNow }} isCancelling={isStopping} />
        <Link
          href={routes.recording(summary.workspace, summary.deployment, summary.id)}
          className="text-accent text-xs hover:underline"
        >
          Open run
        </Link>
      </p>
    </div>
  )
}

const hasFailed = ({ view }: RunStore) => view.outcome === 'error' || view.outcome === 'timeout'

const Queued = ({ message }: { message: RunMessage }) => (
  <div className="opacity-70">
    <p className="mb-1 text-ink-3 text-xs">Waits for the run above</p>
    {transcriptRows(NO_RUN, [message]).map((row) => (
      <TranscriptRowView key={row.key} row={row} isMoment={false} verbs={null} />
    ))}
  </div>
)
