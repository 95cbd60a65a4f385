'use client'
import { useQueryClient } from '@tanstack/react-query'
import dynamic from 'next/dynamic'
import { useSearchParams } from 'next/navigation'
import { type RefObject, Suspense, useEffect, useRef } from 'react'
import { OnContinued } from '@/components/runs/answer/on-continued'
import { firstMessages } from '@/components/runs/start/schema/first-messages'
import { Breakpoints } from '@/components/runs/view/breakpoints'
import { ErrorNotice } from '@/components/shared/feedback/error-notice'
import { NothingHere } from '@/components/shared/feedback/nothing-here'
import { useReasons } from '@/components/shared/layout/rights'
import { VisibleText } from '@/components/shared/text/visible-text'
import type { DeploymentPlace } from '@/lib/contracts/wire/places'
import type { ErrorView } from '@/lib/errors'
import { ChatComposer } from './chat-composer'
import { ChatHeader } from './chat-header'
import { ChatLoading } from './chat-loading'
import type { ThreadViews } from './chat-views'
import { breakpointsOf } from './composer/breakpoints-of'
import { Suggestions } from './composer/suggestions'
import { useMessageDraft } from './composer/use-message-draft'
import { useChatOptions } from './use-chat-options'
import { useConversation } from './use-conversation'
import { assistantOf, useThread } from './use-thread'

// An empty chat needs neither, and its first load is smaller for it.
const loadBody = () => import('./chat-body').then((module) => module.ChatBody)
const ChatBody = dynamic(loadBody)
const Inspector = dynamic(() => import('./inspector').then((module) => module.Inspector), { ssr: false })

/** The first error of each reason. */
const distinct = (errors: readonly (ErrorView | undefined)[]): ErrorView[] =>
  errors.filter(
    (one, index): one is ErrorView =>
      one !== undefined && errors.findIndex((other) => other?.message === one.message) === index,
  )

type Props = {
  place: DeploymentPlace
  /** Undefined until the first message has made one. */
  thread: string | undefined
  onThread: (thread: string) => void
  views: ThreadViews
  serverNow: number
  isInspected: boolean
  onInspect: () => void
  /** Talks to several assistants instead. */
  onSideBySide: (assistant: string) => void
  /** Opens the list of threads, where it has no place of its own. */
  onRail: () => void
}

/** One conversation: what was said, what runs now, and the field to say more. */
export function ChatThread(props: Props) {
  const { place, thread, onThread, views, serverNow, isInspected, onInspect, onSideBySide, onRail } = props
  const { run: reason } = useReasons()
  const field = useRef<HTMLTextAreaElement>(null)
  const toggle = useRef<HTMLButtonElement>(null)
  const talk = useConversation(place, thread)
  const { followed, isActive, error, setError } = talk
  const found = useThread(place, thread, isActive)
  // Who ran on a thread that this page has begun is who it talks to already.
  const isUnread = thread !== undefined && !found.data && talk.body.started.length === 0
  const chat = useChatOptions(
    place,
    useSearchParams().get('assistant') ?? undefined,
    isUnread ? null : assistantOf(found.data),
  )
  const { text, setText } = useMessageDraft(place, thread)
  const breakpoints = breakpointsOf(chat)
  const isWaiting = found.data?.status === 'interrupted' && !isActive
  const hasBody = thread !== undefined || talk.body.started.length > 0 || isInspected
  useEffect(() => {
    if (!hasBody) return whenIdle(() => void loadBody())
  }, [hasBody])

  const client = useQueryClient()
  /** What fails for one reason is said once, and read again together. */
  const told = distinct([found.error, chat.list.data ? undefined : chat.list.error?.view])
  const tryAgain = () => {
    void client.refetchQueries({ type: 'active', predicate: ({ state }) => state.status === 'error' })
  }

  // Servers reject a malformed id instead of responding with "not found".
  if (found.error?.code === 'not_found' || found.error?.code === 'invalid') return <NothingHere />
  const empty =
    thread !== undefined ? 'No messages. See State.' : <Empty {...{ chat, field, reason }} onText={setText} />
  const nothing = <div className="min-h-0 flex-1 px-3 py-10 text-center text-ink-3 text-sm">{empty}</div>
  return (
    <OnContinued value={talk.add}>
      <div className="flex min-h-0 min-w-0 flex-1">
        <section aria-label="Chat" className="flex min-h-0 min-w-0 flex-1 flex-col">
          <ChatHeader
            {...{ place, thread, views, isInspected, onInspect, toggle, onRail }}
            data={found.data}
            opening={followed?.opening}
          />
          {told.map((one) => (
            <ErrorNotice key={one.message} error={one} onRetry={tryAgain} className="m-3" />
          ))}
          {hasBody ? (
            <Suspense fallback={thread === undefined ? nothing : <ChatLoading />}>
              <ChatBody
                {...talk.body}
                {...{ place, thread, onThread, chat, field, serverNow, reason, empty, told }}
                status={found.data?.status}
                elsewhere={
                  thread && found.data?.status === 'interrupted' ? <views.Waiting {...place} thread={thread} /> : null
                }
                start={talk.start}
              />
            </Suspense>
          ) : (
            nothing
          )}
          <ChatComposer
            {...{ thread, chat, field, text, reason, isActive, error, setError }}
            Context={views.Context}
            isBusy={found.isBusy}
            isWaiting={isWaiting}
            onText={setText}
            start={talk.start}
            stop={talk.stop}
            isSending={talk.isSending}
            queued={talk.queued}
            isStopping={talk.isStopping}
            onSideBySide={thread === undefined ? onSideBySide : undefined}
          />
        </section>
        {isInspected && followed ? (
          <Breakpoints value={breakpoints}>
            <Inspector
              {...{ place, thread, views }}
              {...followed}
              start={talk.start}
              onError={setError}
              assistant={assistantOf(found.data)}
              graph={chat.assistant}
              isBusy={isActive || found.data?.status === 'busy'}
              isWaiting={isWaiting}
              onClose={() => {
                onInspect()
                toggle.current?.focus()
              }}
            />
          </Breakpoints>
        ) : null}
      </div>
    </OnContinued>
  )
}

/** Calls back once the browser has nothing else to do; returns how to give that up. */
function whenIdle(callback: () => void): () => void {
  if (typeof requestIdleCallback === 'undefined') {
    const timer = setTimeout(callback, 500)
    return () => clearTimeout(timer)
  }
  const handle = requestIdleCallback(callback, { timeout: 2_000 })
  return () => cancelIdleCallback(handle)
}

type EmptyProps = {
  chat: ReturnType<typeof useChatOptions>
  field: RefObject<HTMLTextAreaElement | null>
  /** Why the user may not run it. */
  reason: string | undefined
  onText: (text: string) => void
}

const HINTS = {
  message: 'Write a message and press Enter.',
  json: 'Fill in the input and send it.',
  unknown: '\u00a0', // keeps the line
}

/** Whom a new conversation talks to, and what could be said first. */
const Empty = ({ chat, field, reason, onText }: EmptyProps) => (
  <>
    <p className="font-medium text-base text-ink">
      {chat.chosen ? `Talk to ${chat.chosen.name || chat.chosen.graph_id}` : 'New chat'}
    </p>
    {chat.chosen?.description ? (
      <p className="mx-auto mt-1 line-clamp-2 max-w-prose">
        <VisibleText>{chat.chosen.description}</VisibleText>
      </p>
    ) : null}
    <p className="mt-1">{reason ?? HINTS[chat.inputKind ?? 'unknown']}</p>
    {!reason && chat.inputKind === 'message' ? (
      <Suggestions texts={firstMessages(chat.schema)} onText={onText} field={field} />
    ) : null}
  </>
)
