'use client'
import { CircleStop, X } from 'lucide-react'
import Link from 'next/link'
import { type RefObject, useCallback, useEffect, useRef, useState } from 'react'
import { OnContinued } from '@/components/runs/answer/on-continued'
import { issueError } from '@/components/runs/start/start-issues'
import { ErrorNotice } from '@/components/shared/feedback/error-notice'
import { Button } from '@/components/ui/button'
import { Select } from '@/components/ui/input'
import type { DeploymentPlace } from '@/lib/contracts/wire/places'
import { nameOfAssistant } from '@/lib/queries/assistants'
import { routes } from '@/lib/routes'
import { ChatBody } from '../chat-body'
import type { Attachment } from '../composer/attachments'
import { chatRequest } from '../composer/chat-request'
import { useChatOptions } from '../use-chat-options'
import { useConversation } from '../use-conversation'
import { LOST } from '../use-send'
import type { SideColumn as Column } from './columns'
import type { SideRunOptions } from './use-side-options'

/** Sends a message to a column; tells whether it was taken. */
export type SendTo = (text: string, files: readonly Attachment[]) => Promise<boolean>

type Props = {
  place: DeploymentPlace
  column: Column
  /** How its runs are started. */
  options: SideRunOptions
  /** Set while the column is there. */
  senders: RefObject<Map<string, SendTo>>
  reason: string | undefined
  serverNow: number
  onChange: (column: Column) => void
  /** Undefined if it is one of the last two. */
  onRemove: (() => void) | undefined
}

/** The conversation with one of several assistants. */
export function SideColumn(props: Props) {
  const { place, column, options: given, senders, reason, serverNow, onChange, onRemove } = props
  const { key, thread } = column
  const own = useChatOptions(place, column.assistant, undefined)
  const chat = { ...own, options: { ...own.options, ...given } }
  const talk = useConversation(place, thread)
  // Not the shared message field: a question in one column must not take its focus.
  const field = useRef<HTMLTextAreaElement>(null)
  const [failed, setFailed] = useState<{ text: string; files: readonly Attachment[] }>()
  const { list, chosen, assistant } = chat
  const name = chosen ? nameOfAssistant(chosen) : column.assistant
  const onThread = useCallback((made: string) => onChange({ ...column, thread: made }), [onChange, column])

  async function send(text: string, files: readonly Attachment[]): Promise<boolean> {
    const multitask = chat.strategy()
    const options = { ...chat.options, ...(multitask && { multitask }) }
    try {
      const input = await chat.read()
      if (input.error) {
        talk.setError(input.error)
        setFailed({ text, files })
      }
      if (!input.hasMessages) return false
      const request = await chatRequest({ ...chat, schema: input.schema, options, text, files, thread })
      if (!request.ok) talk.setError(issueError(request.issues))
      const isTaken = request.ok && (await talk.start(request.body))
      setFailed(isTaken ? undefined : { text, files })
      return isTaken
    } catch {
      talk.setError(LOST)
      setFailed({ text, files })
      return false
    }
  }
  const latest = useRef(send)
  latest.current = send
  useEffect(() => {
    const all = senders.current
    all.set(key, (text, files) => latest.current(text, files))
    return () => {
      all.delete(key)
    }
  }, [senders, key])

  const isEmpty = thread === undefined && talk.body.started.length === 0
  return (
    <OnContinued value={talk.add}>
      <section aria-label={name} className="flex min-h-0 min-w-72 flex-1 flex-col border-r last:border-r-0">
        <header className="flex h-10 shrink-0 items-center gap-2 border-b bg-panel px-3 text-xs">
          {isEmpty ? (
            <Select
              aria-label="Assistant"
              className="h-7 w-auto min-w-0 text-xs"
              value={assistant}
              onChange={({ target }) => {
                chat.change({ assistant: target.value })
                onChange({ ...column, assistant: target.value })
              }}
            >
              {chosen ? null : <option value={assistant}>{list.isPending ? 'Loading…' : 'Unknown assistant'}</option>}
              {list.data?.map((one) => (
                <option key={one.assistant_id} value={one.assistant_id}>
                  {nameOfAssistant(one)}
                </option>
              ))}
            </Select>
          ) : (
            <h2 className="min-w-0 truncate font-semibold text-sm" title={name}>
              {name}
            </h2>
          )}
          {given.context ? (
            <span className="shrink-0 text-ink-3" title="Set under Advanced, for this assistant only">
              own context
            </span>
          ) : null}
          <span className="ml-auto flex shrink-0 items-center gap-2">
            {talk.isActive ? (
              <Button
                size="sm"
                variant="danger"
                aria-label={`Stop ${name}`}
                isBusy={talk.isStopping}
                reason={reason}
                onClick={() => void talk.stop()}
              >
                <CircleStop aria-hidden />
                Stop
              </Button>
            ) : null}
            {thread ? (
              <Link
                className="text-accent hover:underline"
                href={routes.chat(place.workspace, place.deploymentId, thread)}
              >
                Open chat
              </Link>
            ) : null}
            {onRemove ? (
              <Button size="icon" variant="ghost" aria-label={`Remove ${name}`} onClick={onRemove}>
                <X aria-hidden />
              </Button>
            ) : null}
          </span>
        </header>
        {talk.error ? (
          <ErrorNotice
            error={talk.error}
            onRetry={failed ? () => void send(failed.text, failed.files) : undefined}
            className="m-3"
          />
        ) : null}
        {chat.hasMessages || chat.input.status !== 'known' ? null : (
          <p role="note" className="border-b bg-warn-soft px-3 py-1.5 text-xs">
            This graph takes no messages, so it gets none.
          </p>
        )}
        <ChatBody
          {...talk.body}
          {...{ place, thread, onThread, chat, field, serverNow, reason }}
          label={`Conversation with ${name}`}
          start={talk.start}
          empty={isEmpty ? 'Answers appear here.' : 'No messages'}
        />
      </section>
    </OnContinued>
  )
}
