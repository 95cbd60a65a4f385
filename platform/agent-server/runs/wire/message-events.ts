import { convertChunksToEvents } from '@langchain/core/language_models/compat'
import { AIMessageChunk, type BaseMessage } from '@langchain/core/messages'
import type { ChatGenerationChunk } from '@langchain/core/outputs'
import { NODE_KEY } from '@/lib/contracts/wire/dialect'
import { messageType } from '../../threads/messages'
import type { ModelCalls } from './model-calls'

type Json = Record<string, unknown>
type EmitMessage = (namespace: string[], event: Json, metadata: Json) => void
type OpenMessage = { id: string | undefined; namespace: string[]; feed: MessageFeed; indexes: Map<string, number> }
type Part = Json & { type: string; index?: unknown }

/** Tool messages have their own channel. */
const ROLES: Record<string, string> = { ai: 'ai', human: 'human', system: 'system', developer: 'system' }
/** Blocks that repeat a message's tool call chunks in a provider's own form. */
const TOOL_PARTS = new Set(['tool_use', 'input_json_delta', 'function_call', 'tool_call', 'tool_call_chunk'])

/** Converts messages of the runtime's `messages` mode, chunk by chunk, to the content block events of protocol 2. */
export class MessageEvents {
  /** By metadata, which is one object for all chunks of a model call. */
  readonly #open = new Map<Json, OpenMessage>()

  constructor(
    private readonly calls: ModelCalls,
    private readonly emit: EmitMessage,
  ) {}

  async add(namespace: string[], message: BaseMessage, metadata: Json): Promise<void> {
    const role = ROLES[messageType(message) ?? '']
    if (!role) return
    let open = this.#open.get(metadata)
    if (open && open.id !== message.id) {
      await this.#finish(metadata, open)
      open = undefined
    }
    if (!open) {
      const feed = new MessageFeed((event) => this.emit(namespace, startOf(event, role, metadata), metadata))
      open = { id: message.id, namespace, feed, indexes: new Map() }
      this.#open.set(metadata, open)
    }
    for (const chunk of chunksOf(message, open.indexes)) await open.feed.push(chunk)
    const call = this.calls.callOf(message)
    if (!('concat' in message)) await this.#finish(metadata, open)
    else if (call) {
      const { feed } = open
      const finish = async () => {
        if (this.#open.get(metadata)?.feed === feed && call.received >= call.sent)
          await this.#finish(metadata, this.#open.get(metadata) as OpenMessage, call.error)
      }
      call.received += 1
      call.onEnd = finish
      if (call.isEnded) await finish()
    }
  }

  /** Ends what is left open of a task, or of the whole run. */
  async finish(task?: string): Promise<void> {
    for (const [metadata, open] of this.#open)
      if (task === undefined || open.namespace.at(-1) === task) await this.#finish(metadata, open)
  }

  async #finish(metadata: Json, open: OpenMessage, error?: unknown): Promise<void> {
    this.#open.delete(metadata)
    if (error === undefined) return open.feed.finish()
    this.emit(
      open.namespace,
      { event: 'error', message: error instanceof Error ? error.message : String(error) },
      metadata,
    )
  }
}

/** Passes one message's chunks to the library's converter, one at a time and in order. */
class MessageFeed {
  #take: () => void = () => {}
  #taking: Promise<void> = this.#next()
  #give: (result: IteratorResult<ChatGenerationChunk>) => void = () => {}
  readonly #done: Promise<void>

  constructor(emit: (event: Json) => void) {
    const next = () => {
      this.#take()
      return new Promise<IteratorResult<ChatGenerationChunk>>((resolve) => {
        this.#give = resolve
      })
    }
    this.#done = (async () => {
      for await (const event of convertChunksToEvents({ [Symbol.asyncIterator]: () => ({ next }) }))
        emit(event as unknown as Json)
      // A message that cannot be converted must not fail its run.
    })().catch((error: Error) => emit({ event: 'error', message: error.message }))
  }

  /** Resolves once the chunk's events are emitted. */
  async push(message: AIMessageChunk): Promise<void> {
    await Promise.race([this.#taking, this.#done])
    this.#taking = this.#next()
    this.#give({ done: false, value: { message } as ChatGenerationChunk })
    await Promise.race([this.#taking, this.#done])
  }

  async finish(): Promise<void> {
    await Promise.race([this.#taking, this.#done])
    this.#give({ done: true, value: undefined })
    await this.#done
  }

  #next(): Promise<void> {
    return new Promise((resolve) => {
      this.#take = resolve
    })
  }
}

/** What clients read of a message's metadata. */
const METADATA = { provider: 'ls_provider', model: 'ls_model_name', model_type: 'ls_model_type', [NODE_KEY]: NODE_KEY }

function startOf(event: Json, role: string, metadata: Json): Json {
  if (event.event !== 'message-start') return event
  const found = Object.entries(METADATA).filter(([, key]) => metadata[key] !== undefined)
  return { ...event, role, metadata: Object.fromEntries(found.map(([name, key]) => [name, metadata[key]])) }
}

/**
 * The message as chunks whose blocks are numbered without gaps. Providers number text and tool calls separately, and
 * the converter would merge blocks of the same number.
 */
function chunksOf(message: BaseMessage, indexes: Map<string, number>): AIMessageChunk[] {
  const { id, content, additional_kwargs } = message
  const more = message as unknown as { tool_calls?: Json[]; tool_call_chunks?: Json[]; usage_metadata?: never }
  const starts: Part[] = []
  const indexOf = (key: string, start?: Part): number => {
    const known = indexes.get(key)
    if (known !== undefined) return known
    indexes.set(key, indexes.size)
    if (start) starts.push({ ...start, index: indexes.size - 1 })
    return indexes.size - 1
  }
  const given = (typeof content === 'string' ? (content ? [{ type: 'text', text: content }] : []) : content) as Part[]
  const parts = given
    .filter(({ type }) => !TOOL_PARTS.has(type))
    .map((part) => (part.type === 'thinking' ? { ...part, type: 'reasoning', reasoning: part.thinking } : part))
    .map((part) => {
      const start = { text: { type: 'text', text: '' }, reasoning: { type: 'reasoning', reasoning: '' } }[
        part.type as string
      ]
      return { ...part, index: indexOf(part.index === undefined ? part.type : `part ${part.index}`, start) }
    })
  const calls = 'concat' in message ? (more.tool_call_chunks ?? []) : (more.tool_calls ?? []).map(asChunk)
  const tool_call_chunks = calls.map((call) => ({ ...call, index: indexOf(`tool ${call.index ?? call.id}`) }))
  const whole = new AIMessageChunk({
    id,
    content: parts as never,
    additional_kwargs,
    tool_call_chunks: tool_call_chunks as never,
    usage_metadata: more.usage_metadata,
  })
  return [...starts.map((part) => new AIMessageChunk({ id, content: [part] as never })), whole]
}

const asChunk = ({ id, name, args }: Json, index: number): Json => ({ id, name, args: JSON.stringify(args), index })
