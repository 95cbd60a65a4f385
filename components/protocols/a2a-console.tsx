'use client'
import { Radio, Send, Square } from 'lucide-react'
import { useId, useMemo, useState } from 'react'
import { ErrorNotice } from '@/components/shared/feedback/error-notice'
import { JsonEditor } from '@/components/shared/json/json-editor'
import { jsonProblemText } from '@/components/shared/json/json-problem'
import { useReasons } from '@/components/shared/layout/rights'
import { Button } from '@/components/ui/button'
import { Field } from '@/components/ui/field'
import { Input, Select, Textarea } from '@/components/ui/input'
import {
  A2A_METHODS,
  type A2aVerb,
  type A2aVersion,
  listParams,
  messageParams,
  outcomeOf,
  taskParams,
  tasksOf,
  tasksWith,
  versionsOf,
} from '@/lib/contracts/agents/a2a'
import type { AgentCard } from '@/lib/contracts/agents/system'
import { exchangesOf, responsesTo, type WireEntry } from '@/lib/contracts/wire/exchange'
import type { DeploymentPlace } from '@/lib/contracts/wire/places'
import { newRequestKey } from '@/lib/format/format'
import { isRecord } from '@/lib/json/guards'
import { parseJson } from '@/lib/json/lossless'
import { A2aOutcomeView } from './a2a-outcome'
import { A2aTasks } from './a2a-tasks'
import { ExchangeView, RpcErrorNotice } from './exchange-view'
import { useConversation } from './use-conversation'
import { Waiting } from './waiting'

type Props = { place: DeploymentPlace; assistant: string; card: AgentCard }

const responsesOf = (entries: readonly WireEntry[], version: A2aVersion, verb: A2aVerb) =>
  responsesTo(exchangesOf(entries).exchanges, A2A_METHODS[version][verb])
const resultsOf = (responses: ReturnType<typeof responsesOf>) =>
  responses.flatMap((response) => ('result' in response ? [response.result] : []))

/** Talks to one assistant over A2A: sends or streams messages, and reads, lists or cancels tasks. */
export function A2aConsole({ place, assistant, card }: Props) {
  const id = useId()
  const deniedReason = useReasons().run
  const versions = useMemo(() => versionsOf(card), [card])
  const [version, setVersion] = useState<A2aVersion>(versions[0] ?? '0.3')
  const [text, setText] = useState('')
  const [data, setData] = useState('')
  const [context, setContext] = useState('')
  const [task, setTask] = useState('')
  const [asked, setAsked] = useState<{ verb: A2aVerb; version: A2aVersion }>()
  const [listed, setListed] = useState<ReturnType<typeof tasksOf> & { isOfContext: boolean }>()
  const { exchanges, error, isBusy, since, wasStopped, start, stop } = useConversation(place)
  const responses = useMemo(
    () => (asked ? responsesTo(exchanges, A2A_METHODS[asked.version][asked.verb]) : []),
    [exchanges, asked],
  )
  const refused = responses.find((response) => 'error' in response)
  const problem = useMemo(() => problemOf(data), [data])

  async function ask(verb: A2aVerb, params: Record<string, unknown>, spoken = version): Promise<readonly unknown[]> {
    setAsked({ verb, version: spoken })
    const entries = await start({ protocol: 'a2a', assistant, version: spoken, verb, params })
    return resultsOf(responsesOf(entries, spoken, verb))
  }
  async function askTask(verb: Exclude<A2aVerb, 'list'>, params: Record<string, unknown>) {
    const outcome = outcomeOf(await ask(verb, params))
    if (outcome.context) setContext(outcome.context)
    if (outcome.task) setTask(outcome.task)
    setListed((now) => now && { ...now, tasks: tasksWith(now.tasks, outcome) })
  }
  async function list() {
    // Over JSON-RPC only version 1.0 can list tasks, so a server that supports both is called with 1.0.
    const within = context.trim()
    const [found] = await ask('list', listParams(within), versions.includes('1.0') ? '1.0' : version)
    if (found !== undefined) setListed({ ...tasksOf(found), isOfContext: within !== '' })
  }
  const send = (verb: 'send' | 'stream') => {
    const parts = { text: text.trim(), ...(data.trim() && { data: parseJson(data) as Record<string, unknown> }) } // `problem` made sure that it is an object
    // Only a task in `input-required` accepts another message; otherwise the message starts a new task.
    const state =
      asked?.verb === 'list'
        ? listed?.tasks.find(({ id }) => id === task.trim())?.state
        : outcomeOf(resultsOf(responses)).state
    const isAnswer = state === 'input-required'
    const where = { context: context.trim(), ...(isAnswer && { task: task.trim() }) }
    void askTask(verb, messageParams(version, { id: newRequestKey(), ...parts, ...where }))
  }
  const isEmpty = text.trim() === '' && data.trim() === ''
  const sendReason = deniedReason ?? problem ?? (isEmpty ? 'Enter a message.' : undefined)
  const taskReason = task.trim() === '' ? 'Enter a task ID. Sending a message creates a task.' : undefined
  return (
    <section aria-label="Console" className="min-w-0 space-y-4">
      <div className="min-w-0 space-y-3 rounded-lg border bg-panel p-4">
        <div className="flex flex-wrap items-center gap-2">
          <h2 className="font-semibold text-sm">Console</h2>
          {versions.length > 1 ? (
            <Select
              aria-label="Protocol version"
              className="ml-auto w-auto"
              value={version}
              onChange={({ target }) => setVersion(target.value as A2aVersion)} // one of the options below
            >
              {versions.map((one) => (
                <option key={one} value={one}>
                  Protocol {one}
                </option>
              ))}
            </Select>
          ) : null}
        </div>
        <Field id={`${id}-text`} label="Message">
          <Textarea id={`${id}-text`} rows={3} value={text} onChange={({ target }) => setText(target.value)} />
        </Field>
        <details>
          <summary className="text-ink-2 text-xs">Data and context</summary>
          <div className="mt-2 space-y-3">
            <div>
              <p className="font-medium text-xs">Data (JSON object with fields of the graph’s input)</p>
              <JsonEditor
                label="Data as JSON"
                value={data}
                onChange={setData}
                isInvalid={!!problem}
                minHeight={72}
                maxHeight={240}
              />
              {problem ? (
                <p role="alert" className="text-error text-xs">
                  {problem}
                </p>
              ) : null}
            </div>
            <Field
              id={`${id}-context`}
              label="Context ID"
              hint="The thread. Leave empty to start a new one. Set by each response."
            >
              <Input
                id={`${id}-context`}
                className="font-mono"
                autoComplete="off"
                value={context}
                onChange={({ target }) => setContext(target.value)}
              />
            </Field>
          </div>
        </details>
        <div className="flex flex-wrap items-center gap-2">
          <Button
            variant="primary"
            isBusy={isBusy && asked?.verb === 'send'}
            disabled={isBusy}
            reason={sendReason}
            onClick={() => send('send')}
          >
            <Send aria-hidden />
            Send
          </Button>
          <Button
            isBusy={isBusy && asked?.verb === 'stream'}
            disabled={isBusy}
            reason={sendReason}
            onClick={() => send('stream')}
          >
            <Radio aria-hidden />
            Stream
          </Button>
          {isBusy ? (
            <Button onClick={stop}>
              <Square aria-hidden />
              Stop
            </Button>
          ) : null}
          {context ? (
            <span className="text-ink-3 text-xs">
              Continues the same context.{' '}
              <button type="button" className="text-accent underline" onClick={() => setContext('')}>
                Start a new one
              </button>
            </span>
          ) : null}
        </div>
        <div className="flex flex-wrap items-end gap-2 border-t pt-3">
          <Field id={`${id}-task`} label="Task ID" className="min-w-40 flex-1">
            <Input
              id={`${id}-task`}
              className="font-mono"
              autoComplete="off"
              value={task}
              onChange={({ target }) => setTask(target.value)}
            />
          </Field>
          <Button
            disabled={isBusy}
            reason={taskReason}
            onClick={() => void askTask('get', taskParams(version, 'get', task.trim(), context.trim()))}
          >
            Read task
          </Button>
          <Button
            disabled={isBusy}
            reason={deniedReason ?? taskReason}
            onClick={() => void askTask('cancel', taskParams(version, 'cancel', task.trim(), context.trim()))}
          >
            Cancel task
          </Button>
          <Button disabled={isBusy} onClick={() => void list()}>
            List tasks
          </Button>
        </div>
        <Waiting since={since} wasStopped={wasStopped} />
      </div>
      {listed ? (
        <A2aTasks
          {...listed}
          current={task}
          onChoose={(chosen) => {
            setTask(chosen.id)
            setContext(chosen.context)
          }}
        />
      ) : null}
      {error ? <ErrorNotice error={error} /> : null}
      {refused && 'error' in refused ? <RpcErrorNotice error={refused.error} /> : null}
      {asked?.verb === 'list' ? null : (
        <A2aOutcomeView results={resultsOf(responses)} isStreaming={isBusy && asked?.verb === 'stream'} />
      )}
      <ExchangeView exchanges={exchanges} />
    </section>
  )
}

function problemOf(data: string): string | undefined {
  if (data.trim() === '') return undefined
  const wrong = jsonProblemText(data)
  if (wrong) return wrong
  return isRecord(parseJson(data)) ? undefined : 'Enter a JSON object, starting with {.'
}
