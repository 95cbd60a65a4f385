'use client'
import { useQueries, useQuery, useQueryClient } from '@tanstack/react-query'
import { useRouter } from 'next/navigation'
import { type ReactNode, useRef, useState } from 'react'
import { readForMessage } from '@/components/runs/start/schema/read-input'
import { issueError } from '@/components/runs/start/start-issues'
import { initialOptions } from '@/components/runs/start/start-options'
import { ErrorNotice } from '@/components/shared/feedback/error-notice'
import { QueuedNotice } from '@/components/shared/feedback/queued-notice'
import { Panel } from '@/components/shared/layout/panel'
import { useReasons } from '@/components/shared/layout/rights'
import { Select } from '@/components/ui/input'
import { AppError } from '@/lib/errors'
import { assistantSchemasQuery, pickableAssistants } from '@/lib/queries/assistants'
import { deploymentRowsQuery } from '@/lib/queries/deployments'
import { routes } from '@/lib/routes'
import type { RecordingSummary } from '@/lib/stream/log'
import { Composer } from './composer'
import { chatRequest } from './composer/chat-request'
import { talkerOf } from './use-chat-options'
import { LOST, useSend } from './use-send'

/** The deployments that can be talked to from Home. */
const HEALTHY = { health: 'ok', limit: 20, offset: 0 } as const
/** Nobody tells the health of servers without a control plane. */
const UNKNOWN = { ...HEALTHY, health: 'unknown' } as const
/** How often Home looks for the first deployment that has come up. */
const LOOK_MS = 2_000
/** Of how many deployments the assistants are read to find one to talk to. */
const MOST_ASKED = 5

type Props = {
  workspace: string
  isFresh: boolean
  /** Where there is no deployment: the way to the first one. */
  add: ReactNode
}

/** Says something to an agent right from Home: the conversation opens while the reply streams. */
export function HomeChat({ workspace, isFresh, add }: Props) {
  const router = useRouter()
  const client = useQueryClient()
  const { run: reason, runAt } = useReasons()
  const field = useRef<HTMLTextAreaElement>(null)
  const [text, setText] = useState('')
  const [isOpening, setOpening] = useState(false)
  const [wanted, want] = useState<string>()
  const found = useQuery({
    ...deploymentRowsQuery(workspace, HEALTHY),
    refetchInterval: ({ state }) => (state.data?.rows.length ? false : LOOK_MS),
  })
  const isNone = found.data?.rows.length === 0
  const unknown = useQuery({
    ...deploymentRowsQuery(workspace, UNKNOWN),
    enabled: isNone,
    refetchInterval: ({ state }) => (state.data?.rows.length ? false : LOOK_MS),
  })
  const listed = (isNone ? unknown : found).data?.rows ?? []
  const rows = listed.filter(({ id }) => runAt(id) === undefined)
  const assistants = useQueries({
    queries: rows.slice(0, MOST_ASKED).map(({ id }) => pickableAssistants(workspace, id)),
  })
  const chosen = chooseTalker(
    rows,
    assistants.map(({ data }) => data),
    wanted,
  )
  // The assistants that have not been read may make another deployment the one to talk to.
  const isDecided = rows.some(({ id }) => id === wanted) || assistants.every(({ isPending }) => !isPending)
  const named = isDecided ? chosen : undefined
  const schemasOf = (row: string, assistant: string) => ({
    ...assistantSchemasQuery(workspace, row, assistant),
    retry: false,
  })
  // Read while the message is typed.
  useQuery({
    ...schemasOf(chosen?.row.id ?? '', chosen?.talker?.assistant.assistant_id ?? ''),
    enabled: text !== '' && chosen?.talker !== undefined,
  })
  const { send, error, setError, isSending, queued } = useSend({ workspace, deploymentId: '' }, undefined)
  if (reason) return null

  async function submit() {
    if (!chosen || text.trim() === '' || isSending || isOpening) return
    setOpening(true)
    try {
      // A fast typist presses Enter before the assistants have been read.
      const list = (id: string) => client.ensureQueryData(pickableAssistants(workspace, id)).catch(() => undefined)
      const lists = await Promise.all(rows.slice(0, MOST_ASKED).map(({ id }) => list(id)))
      const { row, talker } = chooseTalker(rows, lists, wanted) ?? chosen
      const assistant = talker?.assistant.assistant_id ?? ''
      if (!assistant) throw new AppError('not_found', `${row.name} has no assistant to talk to.`)
      const schemas = client.ensureQueryData(schemasOf(row.id, assistant))
      const { schema, hasMessages, error } = await readForMessage(schemas)
      if (error)
        throw new AppError(error.code, `What ${row.name} takes could not be read. ${error.message}`, {
          requestId: error.requestId,
        })
      if (!hasMessages)
        throw new AppError('unsupported', `${row.name} takes no messages. Open its chat to fill in its input.`)
      const request = await chatRequest({
        options: initialOptions('', ''),
        assistant,
        schema,
        json: '',
        text,
        thread: undefined,
      })
      if (!request.ok) throw new AppError('invalid', issueError(request.issues).message)
      const started = await send(request.body, { workspace, deploymentId: row.id })
      if (started) return open(row.id, started)
    } catch (error) {
      setError(error instanceof AppError ? error.view : LOST)
    }
    setOpening(false)
  }
  function open(deploymentId: string, started: RecordingSummary) {
    router.push(
      started.thread
        ? routes.chat(workspace, deploymentId, started.thread)
        : routes.recording(workspace, deploymentId, started.id),
    )
  }
  const isUnread = !found.data && (found.error ?? found.failureReason) !== null
  const health = found.data?.health
  const isEmpty = health && !health.isCut && Object.values(health.counts).every((number) => number === 0)
  const missing = isUnread
    ? 'The deployments cannot be read.'
    : unknown.isSuccess &&
      isNone &&
      listed.length === 0 &&
      (isEmpty ? 'No deployments yet.' : 'No deployment is healthy yet.')
  return (
    <Panel title={isFresh ? 'Say something to an agent' : 'Talk to an agent'}>
      {error ? <ErrorNotice error={error} className="mb-2" /> : null}
      <QueuedNotice queued={queued} className="mb-2" />
      {missing ? (
        <div className="mb-2 flex flex-wrap items-center justify-between gap-2">
          <p role="status" className="text-ink-2">
            {missing} This is ready as soon as {isUnread ? 'they are' : isEmpty ? 'one is healthy' : 'one is'}.
          </p>
          {isEmpty && !isUnread ? add : null}
        </div>
      ) : null}
      <Composer
        field={field}
        label="Message"
        placeholder={named ? `Message ${named.row.name}…` : 'Message…'}
        text={text}
        onText={setText}
        onSend={() => void submit()}
        isSending={isSending || isOpening}
        reason={
          chosen
            ? undefined
            : listed.length > 0
              ? 'Requires the developer role for a healthy deployment.'
              : missing ||
                (found.isSuccess ? 'No deployment is healthy yet.' : 'The deployments have not been read yet.')
        }
        autoFocus={isFresh}
        tools={
          rows.length > 0 ? (
            <Select
              aria-label="Agent"
              className="h-7 w-auto max-w-60 text-xs"
              value={named?.row.id ?? ''}
              onChange={({ target }) => want(target.value)}
            >
              {named ? null : <option value="">Loading…</option>}
              {rows.map(({ id, name }) => (
                <option key={id} value={id}>
                  {name}
                </option>
              ))}
            </Select>
          ) : null
        }
      />
    </Panel>
  )
}

type Lists = readonly Parameters<typeof talkerOf>[0][]

/** The deployment to talk to: the wanted one, else one with a graph that people talk to. */
function chooseTalker<Row extends { id: string }>(rows: readonly Row[], lists: Lists, wanted: string | undefined) {
  const found = rows.map((row, at) => ({ row, talker: talkerOf(lists[at]) }))
  return (
    found.find(({ row }) => row.id === wanted) ??
    found.find(({ talker }) => talker?.isNamed) ??
    found.find(({ talker }) => talker) ??
    found[0]
  )
}
