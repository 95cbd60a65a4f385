'use client'
import dynamic from 'next/dynamic'
import { useSearchParams } from 'next/navigation'
import { type ReactNode, useCallback, useEffect, useRef, useState } from 'react'
import { OnContinued } from '@/components/runs/answer/use-go-on'
import { isWaitingForInput, useIsContinued } from '@/components/runs/answer/use-is-continued'
import { LiveAnnouncer } from '@/components/runs/view/live-announcer'
import type { RunStore } from '@/components/runs/view/run-store'
import { useRunValue } from '@/components/runs/view/use-run-view'
import { ErrorNotice } from '@/components/shared/feedback/error-notice'
import { NothingHere } from '@/components/shared/feedback/nothing-here'
import { useKeptDraft } from '@/components/shared/form/use-kept-draft'
import { useReasons } from '@/components/shared/layout/rights'
import { Skeleton } from '@/components/ui/loading'
import type { DeploymentPlace } from '@/lib/contracts/wire/places'
import type { RecordingSummary } from '@/lib/stream/log'
import type { RunMessage } from '@/lib/stream/messages'
import { titleOf } from '@/lib/stream/thread-rows'
import { ChatComposer } from './chat-composer'
import { ChatHeader } from './chat-header'
import type { ThreadViews } from './chat-views'
import { Conversation } from './conversation'
import { askedIn, isRunCurrent, writerOf } from './conversation-messages'
import { MessageEditor } from './message-editor'
import { MessageActions, MessageVerbs, plainText } from './message-verbs'
import { useChatOptions } from './use-chat-options'
import { useFork } from './use-fork'
import { useSend } from './use-send'
import { useStateMessages } from './use-state-messages'
import { assistantOf, useThread } from './use-thread'
import { useTurns } from './use-turns'

const AnswerPanel = dynamic(
  () => import('@/components/runs/answer/answer-panel').then((module) => module.AnswerPanel),
  { ssr: false },
)
const Inspector = dynamic(() => import('./inspector').then((module) => module.Inspector), { ssr: false })

type Props = {
  place: DeploymentPlace
  /** Undefined until the first message has made one. */
  thread: string | undefined
  onThread: (thread: string) => void
  views: ThreadViews
  serverNow: number
  isInspected: boolean
  onInspect: () => void
  /** Opens the list of threads, where it has no place of its own. */
  onRail: () => void
}

/** One conversation: what was said, what runs now, and the field to say more. */
export function ChatThread({ place, thread, onThread, views, serverNow, isInspected, onInspect, onRail }: Props) {
  const { run: reason } = useReasons()
  const field = useRef<HTMLTextAreaElement>(null)
  const { turns, current, waiting, isActive, store, ended, add } = useTurns(place, thread)
  const found = useThread(place, thread, isActive)
  const chat = useChatOptions(place, useSearchParams().get('assistant') ?? undefined, assistantOf(found.data))
  const stored = useStateMessages(place, thread)
  const { send, error, setError, isSending } = useSend(place, thread)
  const [text, setText] = useState('')
  const [editing, setEditing] = useState<string>()
  const [stopping, setStopping] = useState<string>()
  const [base, setBase] = useState<{ of: string; messages: readonly RunMessage[] }>()
  const shown = useRef<readonly RunMessage[]>([])
  const forget = useKeptDraft(
    ['pilothouse.chat', place.workspace, place.deploymentId, thread ?? ''].join('.'),
    text,
    setText,
  )
  const onShown = useCallback((messages: readonly RunMessage[]) => {
    shown.current = messages
  }, [])

  // The thread of a new conversation is known as soon as its run is.
  const made = useRunValue(store, threadOf) ?? current?.thread ?? undefined
  useEffect(() => {
    if (!thread && made) onThread(made)
  }, [thread, made, onThread])

  // A run that waited for another begins with what the other left.
  const id = current?.id
  useEffect(() => {
    if (id) setBase((now) => (now?.of === id || !now ? now : { of: id, messages: shown.current }))
  }, [id])

  const isRunShown = current !== undefined && isRunCurrent(store.view, stored.state, isActive, ended.get(current.id))
  const first = [...stored.messages, ...(turns[0] ? askedIn(turns[0].request, '') : [])].find(
    ({ role }) => role === 'human',
  )
  const title = titleOf(found.data?.metadata ?? {}, first ? plainText(first) : '')
  const before = base && base.of === current?.id ? base.messages : stored.messages
  // The state may be read after the run has begun.
  const writer = writerOf(stored.state.data?.metadata)
  const run = useRunValue(store, runOf) ?? current?.run
  const isAskedKnown = before === stored.messages && writer !== undefined && writer === run

  /** Starts a run from what is shown, up to a message for a fork. */
  async function start(request: Record<string, unknown>, until = shown.current.length): Promise<boolean> {
    const messages = shown.current.slice(0, until)
    const summary = await send(request)
    if (!summary) return false
    if (!isActive) setBase({ of: summary.id, messages })
    add(summary)
    return true
  }
  const fork = useFork({ place, thread, chat, shown, start, onError: setError })
  const edit = useCallback((message: RunMessage | undefined) => setEditing(message?.key), [])

  // Servers reject a malformed id instead of responding with "not found".
  if (found.error?.code === 'not_found' || found.error?.code === 'invalid') return <NothingHere />
  const whyNot = reason ?? (isActive ? 'A run is active. Wait for it to finish, or stop it.' : undefined)
  const verbsOf = (message: RunMessage): ReactNode =>
    message.role === 'human' && message.id && !message.id.startsWith('asked-') ? (
      <MessageVerbs message={message} />
    ) : null
  const editorOf = (message: RunMessage): ReactNode =>
    editing === message.key ? (
      <MessageEditor
        initial={plainText(message)}
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
    <OnContinued value={add}>
      <div className="flex min-h-0 min-w-0 flex-1">
        <section aria-label="Chat" className="flex min-h-0 min-w-0 flex-1 flex-col">
          <ChatHeader {...{ place, thread, title, views, isInspected, onInspect, onRail }} data={found.data} />
          {found.error ? <ErrorNotice error={found.error} onRetry={found.refetch} className="m-3" /> : null}
          {stored.error ? (
            <ErrorNotice error={stored.error} onRetry={() => void stored.state.refetch()} className="m-3" />
          ) : null}
          {chat.list.error && !chat.list.data ? (
            <ErrorNotice error={chat.list.error.view} onRetry={() => void chat.list.refetch()} className="m-3" />
          ) : null}
          {stored.note ? <p className="border-b bg-sunken px-3 py-1.5 text-ink-2 text-xs">{stored.note}</p> : null}
          <div className="min-h-0 flex-1">
            {stored.isPending && !isActive ? (
              <Loading />
            ) : (
              <MessageActions value={thread ? { reason: whyNot, onEdit: edit, onRetry: fork.retry } : null}>
                <Conversation
                  {...{ current, isRunShown, isActive, store, before, waiting, serverNow, onShown, verbsOf, editorOf }}
                  isAskedKnown={isAskedKnown}
                  thread={thread ?? null}
                  isStopping={stopping === current?.id}
                  empty={
                    <Empty
                      name={chat.chosen?.graph_id}
                      hasMessages={chat.hasMessages}
                      isThread={thread !== undefined}
                    />
                  }
                />
              </MessageActions>
            )}
          </div>
          {current && isRunShown && !isActive ? (
            <Waiting summary={current} store={store} thread={thread ?? null} field={field} />
          ) : null}
          <ChatComposer
            {...{ place, chat, field, text, reason, isActive, isSending, error, setError, current }}
            thread={thread}
            onText={setText}
            onSent={forget}
            start={start}
            isStopping={stopping === current?.id}
            onStopping={setStopping}
          />
        </section>
        {isInspected ? (
          <Inspector
            {...{ place, thread, turns, current, store, views, start }}
            onError={setError}
            assistant={assistantOf(found.data)}
            isBusy={isActive || found.data?.status === 'busy'}
            isRunShown={isRunShown}
            isActive={isActive}
            onClose={onInspect}
          />
        ) : null}
      </div>
      <LiveAnnouncer store={store} key={current?.id ?? ''} />
    </OnContinued>
  )
}

const threadOf = ({ view }: RunStore) => view.run.thread
const runOf = ({ view }: RunStore) => view.run.id

type WaitingProps = {
  summary: RecordingSummary
  store: RunStore
  thread: string | null
  field: React.RefObject<HTMLTextAreaElement | null>
}

/** The open questions of the run, if any. Takes the focus from an empty message, so that one key answers. */
function Waiting({ summary, store, thread, field }: WaitingProps) {
  const isWaiting = useRunValue(store, isWaitingForInput)
  const isContinued = useIsContinued(summary, thread, store)
  const panel = useRef<HTMLDivElement>(null)
  const isOpen = isWaiting && !isContinued
  useEffect(() => {
    if (isOpen && document.activeElement === field.current && field.current?.value === '') panel.current?.focus()
  }, [isOpen, field])
  if (!isOpen) return null
  return (
    <div
      ref={panel}
      tabIndex={-1}
      className="mx-auto max-h-[60%] w-full max-w-4xl overflow-y-auto px-3 pt-2 outline-none"
    >
      <AnswerPanel
        {...{ summary, thread, isContinued }}
        questions={[...store.view.interrupts.values()]}
        next={store.view.next}
      />
    </div>
  )
}

const Empty = ({
  name,
  hasMessages,
  isThread,
}: {
  name: string | undefined
  hasMessages: boolean
  isThread: boolean
}) =>
  isThread ? (
    'No messages. See State.'
  ) : (
    <>
      <p className="font-medium text-base text-ink">{name ? `Talk to ${name}` : 'New chat'}</p>
      <p className="mt-1">{hasMessages ? 'Write a message and press Enter.' : 'Fill in the input and send it.'}</p>
    </>
  )

const Loading = () => (
  <div role="status" aria-label="Loading" className="mx-auto max-w-4xl space-y-3 p-4">
    {['w-2/3', 'w-1/2', 'w-3/4', 'w-1/3'].map((width) => (
      <Skeleton key={width} className={`h-4 ${width}`} />
    ))}
  </div>
)
