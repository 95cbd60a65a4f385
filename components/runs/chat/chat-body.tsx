'use client'
import dynamic from 'next/dynamic'
import {
  type Dispatch,
  type ReactNode,
  type RefObject,
  type SetStateAction,
  useCallback,
  useEffect,
  useLayoutEffect,
  useState,
} from 'react'
import { QuestionPanel } from '@/components/runs/answer/question-panel'
import { isWaitingForInput, useIsContinued } from '@/components/runs/answer/use-is-continued'
import { FailedElsewhere } from '@/components/runs/view/failed-elsewhere'
import { LiveAnnouncer } from '@/components/runs/view/live-announcer'
import type { RunStore } from '@/components/runs/view/run-store'
import { useRunValue } from '@/components/runs/view/use-run-view'
import { ErrorNotice } from '@/components/shared/feedback/error-notice'
import type { DeploymentPlace } from '@/lib/contracts/wire/places'
import type { ThreadStatus } from '@/lib/contracts/wire/state'
import type { ErrorView } from '@/lib/errors'
import type { RecordingSummary } from '@/lib/stream/log'
import type { RunMessage } from '@/lib/stream/messages'
import { ChatLoading } from './chat-loading'
import { Conversation } from './conversation'
import { askedIn, beforeOf, isRunCurrent, openingOf, writerOf } from './conversation-messages'
import { MessageEditor } from './message-editor'
import { MessageActions, MessageVerbs, plainText } from './message-verbs'
import type { useChatOptions } from './use-chat-options'
import { useFork } from './use-fork'
import { useStateMessages } from './use-state-messages'
import { useTurns } from './use-turns'

const AnswerPanel = dynamic(
  () => import('@/components/runs/answer/answer-panel').then((module) => module.AnswerPanel),
  { ssr: false },
)

/** The runs of a conversation, for the parts around it. */
export type Followed = {
  turns: readonly RecordingSummary[]
  current: RecordingSummary | undefined
  store: RunStore
  isActive: boolean
  isRunShown: boolean
  /** See `openingOf`. */
  opening: ReturnType<typeof openingOf>
}

type Props = {
  place: DeploymentPlace
  thread: string | undefined
  onThread: (thread: string) => void
  chat: ReturnType<typeof useChatOptions>
  field: RefObject<HTMLTextAreaElement | null>
  serverNow: number
  /** Runs that this page has started. */
  started: readonly RecordingSummary[]
  /** The messages before a run, and all that are shown now. */
  base: Base | undefined
  setBase: Dispatch<SetStateAction<Base | undefined>>
  shown: RefObject<readonly RunMessage[]>
  start: (request: Record<string, unknown>, until?: number) => Promise<boolean>
  stopping: string | undefined
  /** What the server says of the thread. */
  status?: ThreadStatus | null | undefined
  /** The questions of a run that has no recording. */
  elsewhere?: ReactNode
  /** Why no run may be started. */
  reason: string | undefined
  onError: (error: ErrorView) => void
  /** Errors that the page tells already. */
  told?: readonly ErrorView[]
  onFollow: (followed: Followed) => void
  /** Names the conversation to screen readers, if there are several. */
  label?: string
  empty: ReactNode
}
export type Base = { of: string; messages: readonly RunMessage[] }

/** What was said and what runs now. Its code is loaded with the first thread or message, not with an empty chat. */
export function ChatBody(props: Props) {
  const { place, thread, onThread, chat, field, serverNow, started, base, setBase, shown, start } = props
  const { stopping, status, elsewhere, reason, onError, told, onFollow, label, empty } = props
  const { turns, current, waiting, isActive, isRead, store, ended } = useTurns(place, thread, started)
  const stored = useStateMessages(place, thread)
  const [editing, setEditing] = useState<{ key: string; text: string }>()
  const onShown = useCallback(
    (messages: readonly RunMessage[]) => {
      shown.current = messages
    },
    [shown],
  )

  // The thread of a new conversation is known as soon as its run is.
  const made = useRunValue(store, threadOf) ?? current?.thread ?? undefined
  useEffect(() => {
    if (!thread && made) onThread(made)
  }, [thread, made, onThread])

  // A run that waited for another begins with what the other left.
  const id = current?.id
  useEffect(() => {
    if (id) setBase((now) => (now?.of === id || !now ? now : { of: id, messages: shown.current }))
  }, [id, setBase, shown])

  const isRunShown = current !== undefined && isRunCurrent(store.view, stored.state, isActive, ended.get(current.id))
  const hasFailed = stored.error !== undefined
  const isElsewhere = isRead && !isActive && !isRunShown
  const failed = status === 'error' && isElsewhere ? stored.state.data?.tasks.find(({ error }) => error) : undefined
  const said = [...stored.messages, ...(turns[0] ? askedIn(turns[0].request, '') : [])]
  const opening = openingOf(said, { isPending: stored.isPending, hasFailed })
  const turnIds = turns.map((one) => `${one.id} ${one.phase}`).join(' ')
  // biome-ignore lint/correctness/useExhaustiveDependencies: the list of turns is new with each render
  useLayoutEffect(
    () => onFollow({ turns, current, store, isActive, isRunShown, opening }),
    [onFollow, turnIds, id, store, isActive, isRunShown, opening],
  )

  const before = beforeOf(base, id, isRunShown, stored.messages)
  // The state may be read after the run has begun.
  const writer = writerOf(stored.state.data?.metadata)
  const run = useRunValue(store, runOf) ?? current?.run
  const isAskedKnown = before === stored.messages && writer !== undefined && writer === run

  const fork = useFork({ place, thread, chat, shown, start, onError })
  const edit = useCallback(
    (message: RunMessage | undefined) => setEditing(message && { key: message.key, text: plainText(message) }),
    [],
  )
  const whyNot = reason ?? (isActive ? 'A run is active. Wait for it to finish, or stop it.' : undefined)
  const verbsOf = (message: RunMessage): ReactNode =>
    message.role === 'human' && message.id && !message.id.startsWith('asked-') ? (
      <MessageVerbs message={message} />
    ) : null
  const editorOf = (message: RunMessage): ReactNode =>
    editing?.key === message.key ? (
      <MessageEditor
        initial={plainText(message)}
        text={editing.text}
        onText={(text) => setEditing({ key: message.key, text })}
        isBusy={fork.isBusy}
        reason={whyNot}
        onSend={async (edited) => {
          if (await fork.run(message, edited)) setEditing(undefined)
          field.current?.focus()
        }}
        onCancel={() => setEditing(undefined)}
      />
    ) : null
  return (
    <>
      {stored.error && !told?.some(({ message }) => message === stored.error?.message) ? (
        <ErrorNotice error={stored.error} onRetry={() => void stored.state.refetch()} className="m-3" />
      ) : null}
      {stored.note ? <p className="border-b bg-sunken px-3 py-1.5 text-ink-2 text-xs">{stored.note}</p> : null}
      <div className="min-h-0 flex-1">
        {stored.isPending && !isActive ? (
          <ChatLoading />
        ) : (
          <MessageActions value={thread ? { reason: whyNot, onEdit: edit, onRetry: fork.retry } : null}>
            <Conversation
              {...{ current, isRunShown, isActive, store, before, waiting, serverNow, onShown, verbsOf, editorOf }}
              isAskedKnown={isAskedKnown}
              label={label}
              isEditing={editing !== undefined}
              thread={thread ?? null}
              isStopping={stopping !== undefined && stopping === id}
              empty={hasFailed ? 'The messages could not be read.' : empty}
            />
          </MessageActions>
        )}
      </div>
      {current && isRunShown && !isActive ? (
        <Waiting summary={current} store={store} thread={thread ?? null} field={field} />
      ) : elsewhere && !isActive ? (
        <QuestionPanel field={field}>{elsewhere}</QuestionPanel>
      ) : null}
      {failed && thread ? <FailedElsewhere place={{ ...place, thread }} task={failed} /> : null}
      <LiveAnnouncer store={store} key={id ?? ''} />
    </>
  )
}

const threadOf = ({ view }: RunStore) => view.run.thread
const runOf = ({ view }: RunStore) => view.run.id

type WaitingProps = {
  summary: RecordingSummary
  store: RunStore
  thread: string | null
  field: RefObject<HTMLTextAreaElement | null>
}

/** The open questions of the run, if any. */
function Waiting({ summary, store, thread, field }: WaitingProps) {
  const isWaiting = useRunValue(store, isWaitingForInput)
  const isContinued = useIsContinued(summary, thread, store)
  if (!isWaiting || isContinued) return null
  return (
    <QuestionPanel field={field}>
      <AnswerPanel
        {...{ summary, thread, isContinued }}
        questions={[...store.view.interrupts.values()]}
        next={store.view.next}
      />
    </QuestionPanel>
  )
}
