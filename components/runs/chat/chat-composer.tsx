'use client'
import { Columns2 } from 'lucide-react'
import dynamic from 'next/dynamic'
import { type Dispatch, type RefObject, type SetStateAction, useEffect, useEffectEvent, useRef, useState } from 'react'
import { AdvancedButton, closeOnEscape } from '@/components/runs/start/advanced-button'
import { CHOOSE_INPUT } from '@/components/runs/start/schema/read-input'
import { issueError, remaining, type StartField, type StartIssue } from '@/components/runs/start/start-issues'
import { countSet } from '@/components/runs/start/start-options'
import { ErrorNotice } from '@/components/shared/feedback/error-notice'
import type { Queued } from '@/components/shared/form/use-queued'
import { Button } from '@/components/ui/button'
import { Select } from '@/components/ui/input'
import { cn } from '@/lib/cn'
import type { MultitaskStrategy } from '@/lib/contracts/agents/run-options'
import type { ErrorView } from '@/lib/errors'
import { nameOfAssistant } from '@/lib/queries/assistants'
import type { ThreadViews } from './chat-views'
import { Composer } from './composer'
import { joinText } from './composer/join-text'
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

const ContextField = dynamic(() => import('./composer/context-field').then((module) => module.ContextField), {
  ssr: false,
})
// Loaded on demand, because most starts do not wait.
const QueuedNotice = dynamic(
  () => import('@/components/shared/feedback/queued-notice').then((module) => module.QueuedNotice),
  { ssr: false },
)
const MultitaskChoice = dynamic(() => import('./composer/multitask-choice').then((module) => module.MultitaskChoice), {
  ssr: false,
})

const IN_ADVANCED: readonly StartField[] = ['context', 'modes', 'multitask', 'more']

type Props = {
  thread: string | undefined
  chat: ReturnType<typeof useChatOptions>
  field: RefObject<HTMLTextAreaElement | null>
  text: string
  onText: Dispatch<SetStateAction<string>>
  start: (request: Record<string, unknown>) => Promise<boolean>
  stop: () => Promise<void>
  /** Talks to several assistants instead; undefined in a thread, which belongs to one. */
  onSideBySide: ((assistant: string) => void) | undefined
  Context: ThreadViews['Context']
  reason: string | undefined
  isActive: boolean
  /** The thread waits for an answer, which comes before another input. */
  isWaiting: boolean
  /** Whether the thread has an active run that was started elsewhere. */
  isBusy: () => Promise<boolean>
  isSending: boolean
  queued: Queued | undefined
  isStopping: boolean
  error: ErrorView | undefined
  setError: (error: ErrorView | undefined) => void
}

/** The field at the end of a conversation, with how its runs are started. */
export function ChatComposer(props: Props) {
  const { thread, chat, field, text, onText, start, stop, onSideBySide, reason } = props
  const { isActive, isSending, isStopping, error, setError } = props
  const { options, change, hasMessages, input, inputKind, json } = chat
  const [isAsking, setAsking] = useState(false)
  const [isAdvanced, setAdvanced] = useState(false)
  const [isForced, setForced] = useState(false)
  const [isWanted, setWanted] = useState(false)
  const [isHeld, setHeld] = useState(false)
  const [issues, setIssues] = useState<readonly StartIssue[]>([])
  const isSubmitting = useRef(false)
  const attached = useAttachments()
  const { files } = attached
  /** Until it is known what the graph takes, text is typed and kept, but not sent. */
  const isMessage = inputKind !== 'json'
  const hasKinds = hasMessages || input.status === 'failed'
  const issuesOf = (place: StartField) => issues.filter((issue) => issue.field === place)
  const set = (part: Parameters<typeof change>[0]) => {
    if (part.multitask) rememberStrategy(part.multitask)
    change(part)
    setIssues((now) => remaining(now, part))
  }

  const tell = (found: readonly StartIssue[]) => {
    setIssues(found.map((issue) => ({ ...issue, isOurs: true })))
    if (found.some(({ field }) => IN_ADVANCED.includes(field))) setAdvanced(true)
    const rest = found.filter(({ field }) => !IN_ADVANCED.includes(field) && (isMessage || field !== 'input'))
    if (rest.length > 0) setError(issueError(rest))
  }
  const clear = () => {
    onText('')
    attached.clear()
  }
  const restore = () => {
    onText((typed) => joinText(text, typed))
    attached.restore(files)
  }
  async function submit(strategy?: MultitaskStrategy) {
    if (reason || isSubmitting.current || isSending || (isMessage && text.trim() === '' && files.length === 0)) return
    if (chat.isPending) return setHeld(true)
    if (input.status === 'failed' && !inputKind) return
    const multitask = strategy ?? chat.strategy()
    if (isActive && !multitask) return setAsking(true)
    setAsking(false)
    isSubmitting.current = true
    // Typing goes on while the message is sent, and a failure puts it back.
    if (isMessage) clear()
    try {
      if (!multitask && (await props.isBusy())) {
        if (isMessage) restore()
        return setAsking(true)
      }
      const withStrategy = { ...options, ...(multitask && { multitask }) }
      const given = { ...chat, options: withStrategy, isForced }
      const { chatRequest } = await import('./composer/chat-request')
      const request = await chatRequest({ ...given, text: isMessage ? text : undefined, files, thread })
      tell(request.ok ? [] : request.issues)
      const isTaken = request.ok && (await start(request.body))
      if (!isTaken && isMessage) restore()
    } catch {
      setError(LOST)
      if (isMessage) restore()
    } finally {
      isSubmitting.current = false
      field.current?.focus()
    }
  }
  const submitHeld = useEffectEvent(() => {
    const name = chat.chosen?.name || chat.chosen?.graph_id || 'This graph'
    if (isMessage) return void submit()
    setError({
      ...{ code: 'invalid', fields: [], requestId: '' },
      message: `${name} takes no messages. Fill in its input.`,
    })
  })
  useEffect(() => {
    if (!isHeld || chat.isPending) return
    setHeld(false)
    submitHeld()
  }, [isHeld, chat.isPending])
  // The form would leave the question too little room.
  if (props.isWaiting && !isWanted && !hasMessages && !chat.isPending)
    return (
      <div className="mx-auto w-full max-w-4xl shrink-0 px-3 py-2">
        <Button size="sm" onClick={() => setWanted(true)}>
          New input
        </Button>
      </div>
    )
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it hears the keys of the fields in it
    <div
      className="shrink-0 px-3 py-2"
      onKeyDown={(event) => isAdvanced && closeOnEscape(event, () => setAdvanced(false))}
    >
      <div className="mx-auto max-w-4xl">
        {input.error ? (
          <ErrorNotice
            error={{ ...input.error, message: `${CHOOSE_INPUT} ${input.error.message}` }}
            onRetry={chat.readAgain}
            className="mb-2"
          />
        ) : null}
        {error ? <ErrorNotice error={error} className="mb-2" /> : null}
        {props.queued ? <QueuedNotice queued={props.queued} className="mb-2" /> : null}
        {isAdvanced ? (
          <section aria-label="Advanced" className="mb-2 max-h-[45dvh] overflow-y-auto rounded-lg border bg-panel p-3">
            <RunOptions
              options={{ ...options, threadKind: 'existing', multitask: chat.strategy() ?? options.multitask }}
              issuesOf={issuesOf}
              onChange={set}
              contextForm={
                chat.contextSchema ? (
                  <ContextField
                    Form={props.Context}
                    schema={chat.contextSchema}
                    value={options.context}
                    onChange={(context) => set({ context })}
                  />
                ) : undefined
              }
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
        label={inputKind ? 'Message' : 'Input'}
        placeholder={
          inputKind
            ? `Message ${chat.chosen ? chat.chosen.name || chat.chosen.graph_id : 'the agent'}…`
            : chat.isPending
              ? 'Loading…'
              : ''
        }
        text={text}
        onText={onText}
        onSend={() => void submit()}
        onStop={
          isActive
            ? () => {
                field.current?.focus()
                void stop()
              }
            : undefined
        }
        isSending={isSending || isHeld}
        isStopping={isStopping}
        reason={reason ?? (input.status === 'failed' && !inputKind ? CHOOSE_INPUT : undefined)}
        autoFocus
        onFiles={isMessage ? (given) => void attached.add(given) : undefined}
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
            {input.status === 'failed' ? (
              <Button
                size="sm"
                variant="ghost"
                aria-pressed={inputKind === 'message'}
                onClick={() => set({ inputKind: 'message' })}
              >
                Message
              </Button>
            ) : null}
            {hasKinds || chat.isPending ? (
              <Button
                size="sm"
                variant="ghost"
                aria-pressed={!isMessage}
                reason={chat.isPending ? 'What this graph takes is still being read.' : undefined}
                title="Write the whole input as JSON"
                onClick={() => set({ inputKind: isMessage || !hasMessages ? 'json' : 'message' })}
              >
                JSON
              </Button>
            ) : null}
            <AdvancedButton set={countSet(options)} isOpen={isAdvanced} onToggle={() => setAdvanced(!isAdvanced)} />
            {onSideBySide && (chat.list.data?.length ?? 0) > 1 ? (
              <Button
                size="icon"
                variant="ghost"
                aria-label="Ask several assistants"
                title="Ask several assistants side by side"
                onClick={() => onSideBySide(chat.assistant)}
              >
                <Columns2 aria-hidden />
              </Button>
            ) : null}
          </>
        }
      >
        {isMessage ? undefined : (
          <div
            ref={isWanted ? takeFocus : undefined}
            tabIndex={-1}
            className={cn(
              'overflow-y-auto outline-none',
              isAdvanced ? 'max-h-[18dvh]' : thread ? 'max-h-[28dvh]' : 'max-h-[52dvh]',
            )}
          >
            <JsonInput
              {...{ input, json }}
              Form={hasKinds ? undefined : props.Context}
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

const takeFocus = (box: HTMLElement | null) => box?.focus()
