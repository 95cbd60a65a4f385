import { z } from 'zod'
import type { ThreadCommand } from '@/lib/contracts/agents/protocol'
import { RunCreate } from '@/lib/contracts/agents/runs'
import { parseLeniently } from '../../kernel/lenient'
import type { Caller } from '../auth/caller'
import { HttpError } from '../kernel/errors'
import type { Hub } from '../runs/hub'
import type { RunRow } from '../runs/run-record'
import type { RunStarter } from '../runs/run-starter'
import type { Runs } from '../runs/runs'
import { PROTOCOL_EVENT, PROTOCOL_MODES, type ProtocolBody } from '../runs/wire/protocol-events'
import { openInterrupts } from '../threads/state'
import type { ThreadStates } from '../threads/thread-state'
import type { Threads } from '../threads/threads'
import { agentTree } from './agent-tree'
import { firstNumber } from './thread-events'

type Json = Record<string, unknown>
type Services = { runs: Runs; threads: Threads; states: ThreadStates; starter: RunStarter; hub: Hub }
type Code =
  | 'invalid_argument'
  | 'unknown_command'
  | 'no_such_run'
  | 'no_such_interrupt'
  | 'no_such_checkpoint'
  | 'not_supported'

const REQUESTED = 'input.requested'

/** A refused command; answered with 200 like all others. */
class Refusal extends Error {
  constructor(
    readonly code: Code,
    message: string,
  ) {
    super(message)
  }
}

const Namespace = z.array(z.string()).nullish()
const optional = { config: z.looseObject({}).nullish(), metadata: z.looseObject({}).nullish() }
const Start = z.looseObject({
  assistant_id: z.string().min(1),
  input: z.unknown().optional(),
  ...optional,
  context: z.looseObject({}).nullish(),
  langsmith_tracer: z.looseObject({}).nullish(),
  multitask_strategy: z.string().nullish(),
  /** The spelling of early clients. */
  multitaskStrategy: z.string().nullish(),
})
const Answer = z.looseObject({ interrupt_id: z.string(), response: z.unknown().optional() })
const Respond = z.looseObject({
  ...optional,
  responses: z.array(Answer).min(1).nullish(),
  interrupt_id: z.string().nullish(),
  response: z.unknown().optional(),
  update: z.unknown().optional(),
  goto: z.unknown().optional(),
})
const Get = z.looseObject({ namespace: Namespace, keys: z.array(z.string()).nullish() })
const List = z.looseObject({
  namespace: Namespace,
  limit: z.int().min(1).max(1000).nullish(),
  before: z.string().nullish(),
})
const Fork = z.looseObject({ checkpoint_id: z.string().min(1), input: z.unknown().optional(), ...optional })

/** Commands of protocol 2. Runs that they start are ordinary runs. */
export class ThreadCommands {
  constructor(private readonly services: Services) {}

  as(caller: Caller | undefined): ThreadCommands {
    return caller ? new ThreadCommands({ ...this.services, starter: this.services.starter.as(caller) }) : this
  }

  /** The reply to a command, which is the same for a success and for a refusal but for its type. */
  async handle(threadId: string, { id, method, params }: ThreadCommand): Promise<Json> {
    try {
      const command = this.#commands[method]
      if (!command) throw new Refusal('unknown_command', `Unknown command ${method}.`)
      const { result, run } = await command(threadId, params ?? {})
      const number = firstNumber(run?.ordinal ?? (await this.#newest(threadId))?.ordinal ?? 0)
      return { type: 'success', id, result, meta: { thread_id: threadId, applied_through_seq: number } }
    } catch (error) {
      const { code, message } = refusalOf(error)
      return { type: 'error', id, error: code, message }
    }
  }

  readonly #commands: Record<string, (threadId: string, params: Json) => Promise<{ result: Json; run?: RunRow }>> = {
    'run.start': async (threadId, params) => {
      const { assistant_id, input, multitask_strategy, multitaskStrategy, ...more } = parse(Start, params)
      // An input to a thread that waits for an answer is that answer.
      const isAnswer = input !== undefined && input !== null && (await this.#interrupts(threadId)).length > 0
      const run = await this.#start(threadId, {
        ...pick(more, ['config', 'metadata', 'context', 'langsmith_tracer']),
        assistant_id,
        ...(isAnswer ? { command: { resume: input } } : { input }),
        multitask_strategy: multitask_strategy ?? multitaskStrategy ?? 'enqueue',
      })
      return { result: { run_id: run.run_id }, run }
    },

    'input.respond': async (threadId, params) => {
      const { responses, interrupt_id, response, update, goto, config, metadata } = parse(Respond, params)
      const answers = responses ?? (interrupt_id ? [{ interrupt_id, response }] : [])
      if (answers.length === 0) throw new Refusal('invalid_argument', 'input.respond needs an interrupt_id.')
      const open = await this.#interrupts(threadId)
      if (open.length === 0) throw new Refusal('no_such_run', 'No run of this thread is waiting for an answer.')
      const unknown = answers.find((answer) => !open.includes(answer.interrupt_id))
      if (unknown)
        throw new Refusal(
          'no_such_interrupt',
          `Interrupt ${unknown.interrupt_id} is not open. Open interrupts: ${open.join(', ')}.`,
        )
      const resume = Object.fromEntries(answers.map((answer) => [answer.interrupt_id, answer.response]))
      const run = await this.#start(threadId, {
        assistant_id: await this.#assistant(threadId),
        command: { resume, ...(isGiven(update) && { update }), ...(isGiven(goto) && { goto }) },
        config,
        metadata,
        multitask_strategy: 'enqueue',
      })
      return { result: { run_id: run.run_id }, run }
    },

    'input.inject': async () => {
      throw new Refusal('not_supported', 'This server cannot add a message to a run in progress.')
    },

    'agent.getTree': async (threadId, { run_id }) => {
      const run = await (typeof run_id === 'string' ? this.services.runs.get(run_id, threadId) : this.#newest(threadId))
      if (!run) throw new Refusal('no_such_run', 'This thread has no run.')
      return { result: { tree: await agentTree(run, this.services.hub) } }
    },

    'state.get': async (threadId, params) => {
      const { namespace, keys } = parse(Get, params)
      const place = namespace?.length ? { checkpoint_ns: namespace.join('|') } : undefined
      const state = await this.services.states.read(threadId, place)
      const { checkpoint_id: id, checkpoint_ns: ns } = (state.checkpoint ?? {}) as Json
      const values = (state.values ?? {}) as Json
      return { result: { values: keys ? pick(values, keys) : values, ...(id ? { checkpoint: { id, ns } } : {}) } }
    },

    'state.listCheckpoints': async (threadId, params) => {
      const { namespace, limit, before } = parse(List, params)
      const checkpoint = namespace?.length ? { checkpoint_ns: namespace.join('|') } : undefined
      const states = await this.services.states.history(threadId, { limit, before: before ?? undefined, checkpoint })
      const checkpoints = states.map((state) => ({
        id: (state.checkpoint as Json).checkpoint_id,
        timestamp: state.created_at,
        step: (state.metadata as Json).step,
        metadata: state.metadata,
      }))
      return { result: { checkpoints } }
    },

    'state.fork': async (threadId, params) => {
      const { checkpoint_id, input, config, metadata } = parse(Fork, params)
      const assistant_id = await this.#assistant(threadId)
      const run = await this.#start(threadId, { assistant_id, input, config, metadata, checkpoint: { checkpoint_id } })
      return { result: { run_id: run.run_id, thread_id: run.thread_id }, run }
    },
  }

  #start(threadId: string, { config, ...body }: Json): Promise<RunRow> {
    // The place to start from may be in the configuration, as clients of the runtime write it.
    const { checkpoint_id, ...configurable } = ((config as Json | null | undefined)?.configurable ?? {}) as Json
    const { data } = parseLeniently(RunCreate, {
      ...body,
      ...(isGiven(config) && { config: { ...(config as Json), configurable } }),
      ...(typeof checkpoint_id === 'string' && { checkpoint: { checkpoint_id } }),
      stream_mode: PROTOCOL_MODES,
      stream_subgraphs: true,
      stream_resumable: true,
      if_not_exists: 'create',
    })
    return this.services.starter.createEventStream(threadId, data as RunCreate)
  }

  /** Ids of the open interrupts; none if there is no such thread yet. */
  async #interrupts(threadId: string): Promise<string[]> {
    const { threads, states } = this.services
    const thread = await threads.get(threadId).catch(() => undefined)
    if (!thread) return []
    // Before the state: a run that ends in between has stored its interrupts by then.
    const streamed = await this.#streamedInterrupts(threadId)
    const open = openInterrupts(await states.snapshot(thread, undefined, true))
    const stored = Object.values(open).flatMap((interrupts) => interrupts.map(({ id }) => String(id)))
    return [...new Set([...stored, ...streamed])]
  }

  /** Interrupts of the run that executes. A client may answer one that it got from the stream before the state has it. */
  async #streamedInterrupts(threadId: string): Promise<string[]> {
    const [run] = (await this.services.runs.list(threadId, { limit: 1, status: 'running' })).rows
    const ids: string[] = []
    if (!run) return ids
    for await (const page of this.services.hub.stored(run.run_id, -1))
      for (const { event, data } of page) {
        // Most events are tokens.
        if (event !== PROTOCOL_EVENT || !data.includes(REQUESTED)) continue
        const { method, params } = JSON.parse(data) as ProtocolBody
        if (method === REQUESTED) ids.push((params.data as { interrupt_id: string }).interrupt_id)
      }
    return ids
  }

  /** The assistant that ran last on the thread. */
  async #assistant(threadId: string): Promise<string> {
    const { assistant_id } = (await this.services.threads.get(threadId)).metadata
    if (typeof assistant_id !== 'string') throw new Refusal('no_such_run', 'No assistant has run on this thread yet.')
    return assistant_id
  }

  async #newest(threadId: string): Promise<RunRow | undefined> {
    return (await this.services.runs.list(threadId, { limit: 1 })).rows[0]
  }
}

function parse<Schema extends z.ZodType>(schema: Schema, params: Json): z.output<Schema> {
  return schema.parse(params)
}

function refusalOf(error: unknown): { code: Code; message: string } {
  if (error instanceof Refusal) return error
  if (error instanceof z.ZodError) {
    const [issue] = error.issues
    return { code: 'invalid_argument', message: `${issue?.path.join('.')}: ${issue?.message}` }
  }
  if (!(error instanceof HttpError)) throw error
  const { detail, status } = error
  const message = typeof detail === 'string' ? detail : detail.map(({ msg }) => msg).join('; ')
  if (status === 404 && /checkpoint/.test(message)) return { code: 'no_such_checkpoint', message }
  return { code: status === 404 && message.startsWith('Run') ? 'no_such_run' : 'invalid_argument', message }
}

const isGiven = (value: unknown): boolean => value !== undefined && value !== null

const pick = (values: Json, keys: readonly string[]): Json =>
  Object.fromEntries(Object.entries(values).filter(([key, value]) => keys.includes(key) && value !== undefined))
