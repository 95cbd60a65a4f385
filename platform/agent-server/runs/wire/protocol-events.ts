import type { BaseMessage } from '@langchain/core/messages'
import { createLifecycleTransformer, type StreamTransformer } from '@langchain/langgraph'
import {
  convertToProtocolEvent,
  isStreamChannel,
  type ProtocolEvent,
  type ProtocolMethod,
  type StreamChannel,
} from '@langchain/langgraph/stream'
import type { StreamMode } from '@/lib/contracts/wire/stream-modes'
import { MessageEvents } from './message-events'
import { ModelCalls } from './model-calls'
import { graphNamespace } from './wire-events'

type Json = Record<string, unknown>
type Chunk = [namespace: string[], mode: string, payload: unknown]
type MakeTransformer = () => StreamTransformer
/** An event of protocol 2 before it gets its number. */
export type ProtocolBody = Pick<ProtocolEvent, 'method' | 'params'>

/** The stream modes of a run that was started by a command. */
export const PROTOCOL_MODES = [
  'values',
  'updates',
  'messages-tuple',
  'tools',
  'custom',
  'tasks',
] as const satisfies StreamMode[]
/** The name of stored events that only readers of protocol 2 get; they read the others from the run's own events. */
export const PROTOCOL_EVENT = 'protocol'
const STORED: ReadonlySet<string> = new Set(['messages', 'tools', 'checkpoints'])

/** Makes those events of protocol 2 that cannot be told from a run's own events later. */
export class ProtocolEvents {
  readonly calls = new ModelCalls()
  readonly #messages: MessageEvents
  readonly #transformers: StreamTransformer[]
  readonly #channels: StreamChannel<unknown>[] = []
  readonly #results: { name: string; value: PromiseLike<unknown> }[] = []
  readonly #requested = new Set<string>()
  /** Where the event being processed comes from; what transformers add inherits it. */
  #namespace: string[] = []

  constructor(
    private readonly emit: (event: ProtocolBody) => void,
    factories: readonly MakeTransformer[] | undefined,
  ) {
    this.#messages = new MessageEvents(this.calls, (namespace, event, metadata) =>
      this.#convert([namespace, 'messages', [event, metadata]]),
    )
    const own = createLifecycleTransformer({ emitRootOnRegister: false })
    this.#transformers = [own, ...(factories ?? []).map((make) => make())]
    for (const transformer of this.#transformers) {
      const projection = transformer.init()
      transformer.onRegister?.({ push: (_, event) => this.#pass(event, true) })
      if (transformer !== own) this.#wire(projection)
    }
  }

  /** Resolves when the chunk's events are emitted. */
  async push([namespace, mode, payload]: Chunk): Promise<void> {
    if (mode === 'messages') {
      const [message, metadata] = payload as [BaseMessage, Json]
      return this.#messages.add(namespace, message, metadata)
    }
    const task = payload as { id?: string; name?: string }
    if (mode === 'tasks' && !('triggers' in task)) await this.#messages.finish(`${task.name}:${task.id}`)
    for (const interrupt of interruptsOf(payload)) this.#request(namespace, interrupt)
    this.#convert([namespace, mode, payload])
  }

  /** Ends subgraphs and open messages after the graph ended, or failed with an error. */
  async end(failure?: { error: unknown }): Promise<void> {
    if (!failure) await this.#messages.finish()
    for (const transformer of this.#transformers)
      await (failure ? transformer.fail?.(failure.error) : transformer.finalize?.())
    for (const channel of this.#channels) failure ? channel._fail(failure.error) : channel._close()
    if (failure) return
    for (const { name, value } of this.#results) {
      const payload = await Promise.resolve(value).catch(() => undefined)
      if (payload !== undefined) this.#add('custom', [], { name, payload })
    }
  }

  #convert([namespace, mode, payload]: Chunk): void {
    const converted = convertToProtocolEvent({
      namespace,
      mode: mode as ProtocolMethod as StreamMode,
      payload,
      seq: 0,
    } as never)
    const scope = graphNamespace(mode, namespace, payload)
    for (const event of converted) this.#pass(event, STORED.has(mode), scope)
  }

  #request(namespace: string[], { id, value }: { id: string; value?: unknown }): void {
    // The same interrupt is reported by its subgraph and by each graph above it.
    if (this.#requested.has(id)) return
    this.#requested.add(id)
    this.#pass(eventOf('input', namespace, { event: 'requested', id }), false)
    this.#add('input.requested', namespace, { interrupt_id: id, payload: value })
  }

  #pass(event: ProtocolEvent, isStored: boolean, namespace = event.params.namespace): void {
    const outer = this.#namespace
    this.#namespace = event.params.namespace
    let isKept = true
    for (const transformer of this.#transformers) if (!transformer.process(event)) isKept = false
    this.#namespace = outer
    if (isKept && isStored) this.emit({ method: event.method, params: { ...event.params, namespace } })
  }

  #add(method: string, namespace: string[], data: Json): void {
    const { params } = eventOf(method, namespace, data)
    this.emit({ method, params })
  }

  /** Sends what a graph's transformer pushes to a named channel, and what its promises resolve to. */
  #wire(projection: unknown): void {
    for (const [name, value] of Object.entries((projection ?? {}) as Json)) {
      if (isStreamChannel(value)) {
        const channel = value as StreamChannel<unknown>
        this.#channels.push(channel)
        const { channelName } = channel
        if (channelName)
          channel._wire((payload) => this.#add('custom', this.#namespace, { name: channelName, payload }))
      } else if (typeof (value as PromiseLike<unknown> | null)?.then === 'function') {
        this.#results.push({ name, value: value as PromiseLike<unknown> })
        // It may fail before the end, or with a run that fails: nobody waits for it then.
        if (value instanceof Promise) value.catch(() => {})
      }
    }
  }
}

const eventOf = (method: string, namespace: string[], data: Json): ProtocolEvent => ({
  type: 'event',
  seq: 0,
  method,
  params: { namespace, timestamp: Date.now(), data },
})

function interruptsOf(payload: unknown): { id: string; value?: unknown }[] {
  const interrupts = (payload as { __interrupt__?: unknown } | null)?.__interrupt__
  return Array.isArray(interrupts) ? interrupts.filter((one) => typeof one?.id === 'string') : []
}
