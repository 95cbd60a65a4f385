import { isCheckpointEnvelope } from '@langchain/langgraph/stream'
import type { RunCreate } from '@/lib/contracts/agents/runs'
import type { Graph } from '../../assistants/graphs'
import { streamMetadataOut } from '../../threads/messages'
import { LegacyMessages } from './legacy-messages'
import type { ProtocolEvents } from './protocol-events'
import { eventName, nativeModes, needsEvents, payloadOut, requestedModes } from './wire-events'

type Json = Record<string, unknown>
export type Emit = (event: string, data: unknown) => void

/** The library's tag for internal steps, which are hidden from streams. */
const HIDDEN = 'langsmith:hidden'

/**
 * Runs the graph and passes each event of the requested modes to `emit`; `breathe` is awaited after each of the runtime's
 * chunks. `protocol` gets the chunks of a run that was started by a command. Resolves when the graph ends or interrupts;
 * rejects when it throws or is aborted.
 */
export async function streamGraph(
  graph: Graph,
  input: unknown,
  options: Json & { runId: string },
  { stream_mode, stream_subgraphs }: Pick<RunCreate, 'stream_mode' | 'stream_subgraphs'>,
  emit: Emit,
  breathe: () => Promise<void> | undefined,
  protocol?: ProtocolEvents,
): Promise<void> {
  const asked = requestedModes(stream_mode)
  const subgraphs = stream_subgraphs ?? false
  if (needsEvents(asked)) return streamEvents()

  const streamMode = nativeModes(asked)
  // `stream` wraps this in three more streams, each with a queue that gets slower as it grows. This one also ends only
  // after the runtime has, even when aborted, and with a version it yields small checkpoints too.
  const version = protocol && { version: 'v2' }
  const chunks = graph._streamIterator(input, { ...options, ...version, streamMode, subgraphs })
  for await (const chunk of chunks as AsyncIterable<unknown[]>) {
    await protocol?.push(chunk as [string[], string, unknown])
    emitChunk(chunk)
    const wait = breathe()
    if (wait) await wait
  }

  function emitChunk(chunk: unknown[]): void {
    const [namespace, mode, payload] = (subgraphs ? chunk : [[], ...chunk]) as [string[], string, unknown]
    // The runtime adds small unrequested checkpoints before each state.
    if (mode === 'checkpoints' && isCheckpointEnvelope(payload)) return
    emit(subgraphs ? eventName(mode, namespace, payload) : mode, payloadOut(mode, payload))
  }

  async function streamEvents(): Promise<void> {
    const wanted = new Set<string>(nativeModes(asked))
    const legacy = asked.includes('messages') ? new LegacyMessages(emit) : undefined
    // Whole messages are taken from the state, whether or not values were requested.
    const streamMode = [...new Set([...wanted, ...(legacy ? ['values'] : [])])]
    const events = graph.streamEvents(input, { ...options, version: 'v2', streamMode: streamMode as never, subgraphs })
    for await (const event of events) {
      if (event.tags?.includes(HIDDEN)) continue
      const isOwn = event.event === 'on_chain_stream' && event.run_id === options.runId
      if (isOwn && Array.isArray(event.data.chunk)) {
        // Its data is sent as that of its mode, and not again as an event.
        const [namespace, mode, payload] = (subgraphs ? event.data.chunk : [[], ...event.data.chunk]) as [
          string[],
          string,
          unknown,
        ]
        if (wanted.has(mode)) emitChunk(event.data.chunk)
        if (mode === 'values' && namespace.length === 0) legacy?.addState(payload)
      } else {
        if (event.event === 'on_chat_model_stream') legacy?.addChunk(event)
        if (asked.includes('events')) emit('events', { ...event, metadata: streamMetadataOut(event.metadata) })
      }
      const wait = breathe()
      if (wait) await wait
    }
  }
}
