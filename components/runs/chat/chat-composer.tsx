'use client'
import { SlidersHorizontal } from 'lucide-react'
import dynamic from 'next/dynamic'
import { type RefObject, useRef, useState } from 'react'
import { placeError, remaining, type StartField, type StartIssue } from '@/components/runs/start/start-issues'
import { ErrorNotice } from '@/components/shared/feedback/error-notice'
import { Button } from '@/components/ui/button'
import { Select } from '@/components/ui/input'
import { cancelRun } from '@/lib/actions/runs'
import type { MultitaskStrategy } from '@/lib/contracts/agents/run-options'
import type { DeploymentPlace } from '@/lib/contracts/wire/places'
import type { ErrorView } from '@/lib/errors'
import { nameOfAssistant } from '@/lib/queries/assistants'
import type { RecordingSummary } from '@/lib/stream/log'
import { chatRequest } from './chat-request'
import { Composer } from './composer'
import { rememberStrategy } from './composer/multitask'
import { useAttachments } from './composer/use-attachments'
import type { useChatOptions } from './use-chat-options'
import { LOST } from './use-send'

const JsonInput = dynamic(() => import('./composer/json-input').then((module) => module.JsonInput), { ssr: false })
const AttachmentChips = dynamic(() => import('./composer/attachment-chips').then((module) => module.AttachmentChips), {
  ssr: false,
})
const RunOptions = dynamic(() => import('@/components/runs/start/run-options').then((module) => module.RunOptions), {
  ssr: false,
})

const MultitaskChoice = dynamic(() => import('./composer/multitask-choice').then((module) => module.MultitaskChoice), {
  ssr: false,
})

type Props = {
  place: DeploymentPlace
  thread: string | undefined
  chat: ReturnType<typeof useChatOptions>
  field: RefObject<HTMLTextAreaElement | null>
  text: string
  onText: (text: string) => void
  /** Called when a message has been taken. */
  onSent: () => void
  start: (request: Record<string, unknown>) => Promise<boolean>
  reason: string | undefined
  current: RecordingSummary | undefined
  isActive: boolean
  isSending: boolean
  isStopping: boolean
  onStopping: (recording: string | undefined) => void
  error: ErrorView | undefined
  setError: (error: ErrorView | undefined) => void
}

/** The field at the end of a conversation, with how its runs are started. */
export function ChatComposer(props: Props) {
  const { place, thread, chat, field, text, onText, onSent, start, reason, current } = props
  const { isActive, isSending, isStopping, onStopping, error, setError } = props
  const { options, change, hasMessages, inputKind, json } = chat
  const [isAsking, setAsking] = useState(false)
  const [isAdvanced, setAdvanced] = useState(false)
  const [isForced, setForced] = useState(false)
  const [issues, setIssues] = useState<readonly StartIssue[]>([])
  const isBusy = useRef(false)
  const attached = useAttachments()
  const { files } = attached
  const isMessage = inputKind === 'message'
  const issuesOf = (place: StartField) => issues.filter((issue) => issue.field === place)
  const placed = error && placeError(error)
  const set = (part: Parameters<typeof change>[0]) => {
    if (part.multitask) rememberStrategy(part.multitask)
    change(part)
    setIssues((now) => remaining(now, part))
  }

  const take = (text: string, files: Parameters<typeof attached.set>[0]) => {
    onText(text)
    attached.set(files)
  }
  async function submit(strategy?: MultitaskStrategy) {
    if (reason || isBusy.current || isSending || (isMessage && text.trim() === '' && files.length === 0)) return
    const multitask = strategy ?? chat.strategy()
    if (isActive && !multitask) return setAsking(true)
    setAsking(false)
    isBusy.current = true
    // Typing goes on while the message is sent, and a failure puts it back.
    if (isMessage) take('', [])
    try {
      const withStrategy = { ...options, ...(multitask && { multitask }) }
      const given = { ...chat, options: withStrategy, schema: isForced ? undefined : chat.schema }
      const request = await chatRequest({ ...given, text: isMessage ? text : undefined, files, thread })
      setIssues(request.ok ? [] : request.issues.map((issue) => ({ ...issue, isOurs: true })))
      if (request.ok && (await start(request.body))) onSent()
      else if (isMessage) take(text, files)
    } catch {
      setError(LOST)
      if (isMessage) take(text, files)
    } finally {
      isBusy.current = false
      field.current?.focus()
    }
  }
  async function stop() {
    if (!current || isStopping) return
    onStopping(current.id)
    field.current?.focus()
    const sent = cancelRun({ workspace: place.workspace, recording: current.id, action: 'interrupt' })
    const result = await sent.catch((): Awaited<typeof sent> => ({ ok: false, error: LOST }))
    if (result.ok) return
    setError(result.error)
    onStopping(undefined)
  }

  return (
    <div className="shrink-0 px-3 py-2">
      <div className="mx-auto max-w-4xl">
        {error ? <ErrorNotice error={placed?.rest ?? error} className="mb-2" /> : null}
        {isAdvanced ? (
          <section aria-label="Advanced" className="mb-2 max-h-[45dvh] overflow-y-auto rounded-lg border bg-panel p-3">
            <RunOptions
              options={{ ...options, threadKind: 'existing', multitask: chat.strategy() ?? options.multitask }}
              issuesOf={issuesOf}
              onChange={set}
            />
          </section>
        ) : null}
      </div>
      {isAsking ? (
        <MultitaskChoice
          onChoose={(value) => {
            set({ multitask: value })
            void submit(value)
          }}
          onCancel={() => {
            setAsking(false)
            field.current?.focus()
          }}
        />
      ) : null}
      <Composer
        field={field}
        label="Message"
        placeholder={`Message ${chat.chosen ? chat.chosen.name || chat.chosen.graph_id : 'the agent'}…`}
        text={text}
        onText={onText}
        onSend={() => void submit()}
        onStop={isActive ? () => void stop() : undefined}
        isSending={isSending}
        isStopping={isStopping}
        reason={reason}
        autoFocus
        onFiles={hasMessages ? (given) => void attached.add(given) : undefined}
        whyNoFiles={chat.takesFiles ? undefined : 'This graph’s messages are text only.'}
        chips={
          isMessage && (files.length > 0 || attached.problem) ? (
            <AttachmentChips
              files={files}
              problem={attached.problem}
              onRemove={(id) => {
                attached.remove(id)
                field.current?.focus()
              }}
            />
          ) : null
        }
        tools={
          <>
            <Select
              aria-label="Assistant"
              className="h-7 w-auto min-w-16 max-w-52 shrink text-xs"
              value={chat.assistant}
              disabled={chat.list.isPending}
              onChange={({ target }) => set({ assistant: target.value, json: undefined })}
            >
              {chat.chosen ? null : (
                <option value={chat.assistant}>{chat.list.isPending ? 'Loading…' : 'Unknown assistant'}</option>
              )}
              {chat.list.data?.map((one) => (
                <option key={one.assistant_id} value={one.assistant_id}>
                  {nameOfAssistant(one)}
                </option>
              ))}
            </Select>
            {hasMessages ? (
              <Button
                size="sm"
                variant="ghost"
                aria-pressed={!isMessage}
                title="Write the whole input as JSON"
                onClick={() => set({ inputKind: isMessage ? 'json' : 'message' })}
              >
                JSON
              </Button>
            ) : null}
            <Button
              size="sm"
              variant="ghost"
              aria-label="Advanced"
              aria-expanded={isAdvanced}
              onClick={() => setAdvanced(!isAdvanced)}
            >
              <SlidersHorizontal aria-hidden />
              <span className="max-sm:hidden">Advanced</span>
            </Button>
          </>
        }
      >
        {isMessage || chat.isPending ? undefined : (
          <div className="max-h-[40dvh] overflow-y-auto">
            <JsonInput
              json={json}
              schema={chat.schema}
              issues={issuesOf('input')}
              isForced={isForced}
              onChange={set}
              onForce={setForced}
            />
          </div>
        )}
      </Composer>
    </div>
  )
}
