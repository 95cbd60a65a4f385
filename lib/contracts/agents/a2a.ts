import { isRecord } from '@/lib/json/guards'

// The agent-to-agent protocol over JSON-RPC, in both versions that servers support. Version 1.0 renamed the methods and
// wraps results in an object that names their kind.

export const A2A_VERSIONS = ['0.3', '1.0'] as const
export type A2aVersion = (typeof A2A_VERSIONS)[number]
export const A2A_VERBS = ['send', 'stream', 'list', 'get', 'cancel'] as const
export type A2aVerb = (typeof A2A_VERBS)[number]

/** Version 0.3 has no list of tasks over JSON-RPC; servers with one use the name from the other transports. */
export const A2A_METHODS: Record<A2aVersion, Record<A2aVerb, string>> = {
  '0.3': {
    send: 'message/send',
    stream: 'message/stream',
    list: 'tasks/list',
    get: 'tasks/get',
    cancel: 'tasks/cancel',
  },
  '1.0': {
    send: 'SendMessage',
    stream: 'SendStreamingMessage',
    list: 'ListTasks',
    get: 'GetTask',
    cancel: 'CancelTask',
  },
}

type Json = Readonly<Record<string, unknown>>

/** The versions that a card names, in our order of preference; 0.3 if it names none. */
export function versionsOf(card: Json): A2aVersion[] {
  const interfaces = Array.isArray(card.supportedInterfaces) ? card.supportedInterfaces.filter(isRecord) : []
  const named = [card.protocolVersion, ...interfaces.map((one) => one.protocolVersion)].map(String)
  const found = A2A_VERSIONS.filter((version) => named.some((one) => one.startsWith(version)))
  return found.length > 0 ? found : ['0.3']
}

export type A2aMessage = { id: string; text: string; data?: Json; context?: string; task?: string }

/** Parameters of `send` and `stream`. */
export function messageParams(version: A2aVersion, { id, text, data, context, task }: A2aMessage) {
  const isNew = version === '1.0'
  const part = (kind: 'text' | 'data', value: unknown) => (isNew ? { [kind]: value } : { kind, [kind]: value })
  return {
    message: {
      ...(!isNew && { kind: 'message' }),
      role: isNew ? 'ROLE_USER' : 'user',
      messageId: id,
      ...(context && { contextId: context }),
      ...(task && { taskId: task }),
      parts: [...(text ? [part('text', text)] : []), ...(data ? [part('data', data)] : [])],
    },
  }
}

/**
 * Parameters of `get` and `cancel`. Some 0.3 servers want the context next to the task, where 1.0 does not allow it.
 */
export const taskParams = (version: A2aVersion, verb: 'get' | 'cancel', task: string, context?: string) => ({
  id: task,
  ...(version === '0.3' && context && { contextId: context }),
  ...(verb === 'get' && { historyLength: 10 }),
})

/** Parameters of `list`: the newest tasks, of one context if given. */
export const listParams = (context?: string) => ({
  pageSize: 50,
  historyLength: 0,
  ...(context && { contextId: context }),
})

export type A2aTask = { id: string; context: string; state: string; at: string | null }

/** The tasks in the result of `list`, and their total. Tasks without an id are left out. */
export function tasksOf(result: unknown): { tasks: A2aTask[]; total: number } {
  const listed = isRecord(result) && Array.isArray(result.tasks) ? result.tasks.filter(isRecord) : []
  const tasks = listed.flatMap(({ id, contextId, status }): A2aTask[] => {
    if (typeof id !== 'string' || id === '') return []
    const { state, timestamp } = isRecord(status) ? status : {}
    const at = typeof timestamp === 'string' ? timestamp : null
    return [{ id, context: typeof contextId === 'string' ? contextId : '', state: stateOf(state), at }]
  })
  const total = isRecord(result) ? Number(result.totalSize) : 0
  return { tasks, total: Math.max(tasks.length, total || 0) }
}

/** Listed tasks, with what was heard of one of them since. */
export const tasksWith = (tasks: readonly A2aTask[], { task, state }: Pick<A2aOutcome, 'task' | 'state'>): A2aTask[] =>
  tasks.map((one) => (one.id === task && state !== undefined ? { ...one, state } : one))

export type A2aPart = { text: string } | { data: unknown }
export type A2aOutcome = {
  /** Spelled as in version 0.3: `completed`, `input-required`. */
  state?: string
  task?: string
  context?: string
  /** Text of the state, or of a message without a task. */
  said: A2aPart[]
  artifacts: { id: string; name: string; parts: A2aPart[] }[]
}

/** Combines all results of one request. */
export function outcomeOf(results: readonly unknown[]): A2aOutcome {
  const outcome: A2aOutcome = { said: [], artifacts: [] }
  for (const result of results) if (isRecord(result)) take(outcome, unwrapped(result))
  return outcome
}

type Result = { kind: string; body: Json }

function unwrapped(result: Json): Result {
  for (const kind of ['task', 'message', 'statusUpdate', 'artifactUpdate']) {
    const body = result[kind]
    if (isRecord(body) && !('kind' in result)) return { kind, body }
  }
  const kinds: Record<string, string> = { 'status-update': 'statusUpdate', 'artifact-update': 'artifactUpdate' }
  const kind = String(result.kind ?? ('parts' in result ? 'message' : 'task'))
  return { kind: kinds[kind] ?? kind, body: result }
}

function take(outcome: A2aOutcome, { kind, body }: Result): void {
  const task = kind === 'task' ? body.id : body.taskId
  if (typeof task === 'string' && task) outcome.task = task
  if (typeof body.contextId === 'string' && body.contextId) outcome.context = body.contextId
  if (kind === 'message') outcome.said = partsOf(body)
  const { status, artifact, artifacts } = body
  if (isRecord(status)) {
    outcome.state = stateOf(status.state)
    outcome.said = isRecord(status.message) ? partsOf(status.message) : []
  }
  if (isRecord(artifact)) takeArtifact(outcome, artifact, body.append === true)
  if (Array.isArray(artifacts)) for (const one of artifacts.filter(isRecord)) takeArtifact(outcome, one, false)
}

const stateOf = (state: unknown): string =>
  String(state ?? 'unknown')
    .replace(/^TASK_STATE_/, '')
    .toLowerCase()
    .replaceAll('_', '-')

/** A partial artifact is appended to what is there; a whole one replaces it. */
function takeArtifact(outcome: A2aOutcome, artifact: Json, isPiece: boolean): void {
  const id = String(artifact.artifactId ?? '')
  const parts = partsOf(artifact)
  const known = outcome.artifacts.find((one) => one.id === id)
  if (!known) outcome.artifacts.push({ id, name: String(artifact.name ?? ''), parts })
  else known.parts = isPiece ? joined([...known.parts, ...parts]) : parts
}

const joined = (parts: readonly A2aPart[]): A2aPart[] =>
  parts.reduce<A2aPart[]>((done, part) => {
    const last = done.at(-1)
    if (last && 'text' in last && 'text' in part) done[done.length - 1] = { text: last.text + part.text }
    else done.push(part)
    return done
  }, [])

const partsOf = ({ parts }: Json): A2aPart[] =>
  (Array.isArray(parts) ? parts.filter(isRecord) : []).map((part) =>
    typeof part.text === 'string' ? { text: part.text } : { data: 'data' in part ? part.data : part },
  )
