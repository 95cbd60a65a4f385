'use client'

import { useQuery } from '@tanstack/react-query'
import { Play } from 'lucide-react'
import { useRouter } from 'next/navigation'
import { type FormEvent, useEffect, useMemo, useRef, useState } from 'react'
import { ErrorNotice } from '@/components/shared/feedback/error-notice'
import { QueuedNotice } from '@/components/shared/feedback/queued-notice'
import { useKeptDraft } from '@/components/shared/form/use-kept-draft'
import { shownError, useQueued } from '@/components/shared/form/use-queued'
import { useReasons } from '@/components/shared/layout/rights'
import { Button } from '@/components/ui/button'
import { Kbd } from '@/components/ui/kbd'
import { startRun } from '@/lib/actions/runs'
import type { ErrorView } from '@/lib/errors'
import { newRequestKey } from '@/lib/format/format'
import { printJson } from '@/lib/json/lossless'
import type { RunTemplate } from '@/lib/lists/saved'
import { assistantSchemasQuery, findAssistant, isDefault, pickableAssistants } from '@/lib/queries/assistants'
import { untilBack } from '@/lib/queries/query-client'
import { routes } from '@/lib/routes'
import { AssistantPicker } from './assistant-picker'
import { CheckpointNotice } from './checkpoint-notice'
import { InputSection } from './input-section'
import { prefillFrom, type Recorded, withRest } from './prefill'
import { RunOptions } from './run-options'
import { skeletonText } from './schema/input-schema'
import { CHOOSE_INPUT, readInput } from './schema/read-input'
import { placeError, remaining, type StartField, type StartIssue } from './start-issues'
import { initialOptions, type StartOptions } from './start-options'
import { Templates } from './templates'
import { ThreadPicker } from './thread-picker'

type Props = {
  workspace: string
  deploymentId: string
  assistant?: string
  thread?: string
  /** A checkpoint of the thread to start from instead of its latest state. */
  checkpoint?: string
  /** A recording that prefills the form. */
  recorded?: Recorded
  templates: readonly RunTemplate[]
}
type Draft = Pick<StartOptions, 'message' | 'json' | 'context'>

/** The form to start a run. Keeps everything typed if starting fails. */
export function StartForm(props: Props) {
  const { workspace, deploymentId, assistant = '', thread = '', checkpoint = '', recorded, templates } = props
  const router = useRouter()
  const { run: reason } = useReasons()
  const [prefill] = useState(() => (recorded ? prefillFrom(recorded) : undefined))
  const [options, setOptions] = useState(() => ({
    ...(prefill?.options ?? initialOptions(assistant, thread, checkpoint)),
    ...(thread !== '' && { threadKind: 'existing' as const, thread, checkpoint }),
  }))
  const [issues, setIssues] = useState<readonly StartIssue[]>([])
  const [error, setError] = useState<ErrorView>()
  const [isForced, setForced] = useState(false)
  const [isStarting, setStarting] = useState(false)
  const [isAsked, setAsked] = useState(false)
  const form = useRef<HTMLFormElement>(null)
  // One key per input, so that pressing twice starts one run.
  const key = useRef({ body: '', id: '' })
  const { queued, attempt } = useQueued()

  const list = useQuery({ ...pickableAssistants(workspace, deploymentId), ...untilBack })
  const chosen =
    findAssistant(list.data, options.assistant) ??
    (options.assistant === '' ? (list.data?.find(isDefault) ?? list.data?.[0]) : undefined)
  const assistantId = chosen?.assistant_id ?? options.assistant
  const schemas = useQuery({
    ...assistantSchemasQuery(workspace, deploymentId, assistantId),
    enabled: assistantId !== '',
    retry: false,
    ...untilBack,
  })
  // What was recorded says how it is written, too.
  const [chosenFor, setChosenFor] = useState(prefill ? options.assistant : undefined)
  const input = readInput(schemas, options.inputKind, chosenFor === assistantId)
  const { schema } = input
  const inputKind = input.kind ?? 'message'
  const skeleton = useMemo(() => (schema ? skeletonText(schema) : '{}'), [schema])
  const json = options.json ?? skeleton
  const startOptions = { ...options, assistant: assistantId, inputKind } as const
  const isFork = options.checkpoint !== '' && options.threadKind === 'existing'

  const change = (part: Partial<StartOptions>) => {
    // A checkpoint belongs to one thread.
    const isOther = part.thread !== undefined && part.thread !== options.thread
    if (part.inputKind) setChosenFor(assistantId)
    setOptions((now) => ({ ...now, ...(isOther && { checkpoint: '' }), ...part }))
    setIssues((now) => remaining(now, part))
  }
  // A stored draft must not replace what comes from a recording or checkpoint.
  const draftKey = [
    'pilothouse.run',
    workspace,
    deploymentId,
    ...(recorded || checkpoint ? [recorded?.id, checkpoint] : []),
  ].join('.')
  const draft: Draft = { message: options.message, json: options.json, context: options.context }
  const forgetDraft = useKeptDraft(draftKey, draft, change)
  // An assistant may have been chosen by itself since, when their list came.
  const issuesOf = (field: StartField) =>
    issues.filter((issue) => issue.field === field && !(field === 'assistant' && issue.isOurs && chosen))

  // Sent as soon as it is known which assistant it is for, and what the graph takes.
  const isReading = schemas.isLoading || (options.assistant === '' && list.isLoading)
  useEffect(() => {
    if (!isAsked || isReading) return
    setAsked(false)
    form.current?.requestSubmit()
  }, [isAsked, isReading])

  // Focuses the first invalid field.
  useEffect(() => {
    if (issues.length > 0) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
  }, [issues])

  async function start(event: FormEvent) {
    event.preventDefault()
    if (isStarting || reason) return
    if (isReading) return setAsked(true)
    if (input.status === 'failed' && !input.kind)
      return setIssues([{ field: 'input', path: '', message: CHOOSE_INPUT, isOurs: true }])
    setStarting(true)
    setError(undefined)
    const check = isForced || inputKind === 'message' ? undefined : import('./schema/input-check')
    // Loaded on submit, so that viewing the page does not need it.
    const request = await Promise.all([import('./start-request'), check])
      .then(([{ startRequest }, check]) => startRequest(startOptions, json, schema, check?.checkInput))
      .catch(() => undefined)
    setIssues(!request || request.ok ? [] : request.issues.map((issue) => ({ ...issue, isOurs: true })))
    if (!request?.ok) {
      if (!request) setError(LOST)
      setStarting(false)
      return
    }
    const whole = withRest(prefill?.rest ?? {}, request.body)
    const body = printJson({
      ...whole,
      thread: startOptions.threadKind === 'existing' ? startOptions.thread : startOptions.threadKind,
    })
    if (key.current.body !== body) key.current = { body, id: newRequestKey() }
    const { id } = key.current
    const sent = attempt(() =>
      startRun({
        workspace,
        deploymentId,
        thread:
          startOptions.threadKind === 'existing'
            ? { kind: 'existing', id: startOptions.thread }
            : { kind: startOptions.threadKind },
        body: printJson(whole),
        key: id,
      }),
    )
    const started = await sent.catch((): Awaited<typeof sent> => ({ ok: false, error: LOST }))
    if (started.ok) {
      forgetDraft()
      router.push(routes.recording(workspace, deploymentId, started.data.id))
      return // stays busy until the run's page is loaded
    }
    setStarting(false)
    const error = shownError(started.error)
    if (!error) return
    const placed = placeError(error)
    setIssues(placed.issues)
    setError(placed.rest)
  }

  return (
    <form
      ref={form}
      noValidate
      onSubmit={start}
      onKeyDown={(event) => {
        const isWithin = event.currentTarget.contains(event.target as Node) // not in a dialog opened from the form
        if (isWithin && event.key === 'Enter' && (event.ctrlKey || event.metaKey)) event.currentTarget.requestSubmit()
      }}
      className="grid gap-6 lg:grid-cols-[minmax(0,1fr)_20rem]"
    >
      <div className="min-w-0 space-y-5">
        <Templates
          workspace={workspace}
          deploymentId={deploymentId}
          initial={templates}
          options={startOptions}
          onChoose={change}
        />
        {prefill && Object.keys(prefill.rest).length > 0 ? (
          <p className="text-ink-3 text-xs">Also sent, as recorded: {Object.keys(prefill.rest).join(', ')}.</p>
        ) : null}
        <AssistantPicker
          workspace={workspace}
          deploymentId={deploymentId}
          value={assistantId}
          onChange={(value) => change({ assistant: value, json: undefined })}
          issues={issuesOf('assistant')}
        />
        {input.error ? <ErrorNotice error={input.error} onRetry={() => void schemas.refetch()} /> : null}
        <ThreadPicker
          workspace={workspace}
          deploymentId={deploymentId}
          kind={options.threadKind}
          thread={options.thread}
          onChange={change}
          issues={issuesOf('thread')}
        />
        {isFork ? (
          <CheckpointNotice id={options.checkpoint} onDrop={() => change({ checkpoint: '', json: undefined })} />
        ) : null}
        <InputSection
          // Without input, a fork runs the checkpoint's next nodes, whatever the schema says.
          input={isFork && json.trim() === 'null' ? { ...input, schema: undefined } : input}
          message={options.message}
          json={json}
          schemaNote={
            schema || input.status !== 'known'
              ? undefined
              : 'This graph has no input schema, so the input is not checked.'
          }
          issues={issuesOf('input')}
          isForced={isForced}
          onChange={change}
          onForce={setForced}
        />
        {error ? <ErrorNotice error={error} /> : null}
        <QueuedNotice queued={queued} />
        <div className="flex items-center gap-3">
          <Button type="submit" variant="primary" isBusy={isStarting || isAsked} reason={reason}>
            <Play aria-hidden />
            Start run
          </Button>
          <span className="hidden text-ink-3 text-xs sm:inline">
            <Kbd>Ctrl</Kbd> <Kbd>Enter</Kbd>
          </span>
        </div>
      </div>
      <aside aria-label="Run options" className="h-fit rounded-lg border bg-panel p-4">
        <RunOptions options={options} issuesOf={issuesOf} onChange={change} />
      </aside>
    </form>
  )
}

const LOST: ErrorView = {
  code: 'internal',
  message: 'The console did not respond. Start again to find out: this never starts a second run.',
  fields: [],
  requestId: '',
}
