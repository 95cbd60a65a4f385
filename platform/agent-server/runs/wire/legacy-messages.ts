import type { AIMessageChunk } from '@langchain/core/messages'
import { streamMetadataOut } from '../../threads/messages'

type Emit = (event: string, data: unknown) => void
type ModelEvent = { run_id: string; tags?: string[]; metadata?: unknown; data: { chunk?: unknown } }
type Message = { id?: string }

/**
 * The older mode `messages`: a streaming message sends its metadata once, then the accumulated text with each
 * chunk; every message is sent whole when it appears in the state.
 */
export class LegacyMessages {
  readonly #soFar = new Map<string, AIMessageChunk>()
  readonly #completed = new Set<string>()

  constructor(private readonly emit: Emit) {}

  addChunk({ run_id, tags, metadata, data }: ModelEvent): void {
    if (tags?.some((tag) => tag === 'nostream' || tag === 'langsmith:nostream')) return
    const chunk = data.chunk as AIMessageChunk | undefined
    if (chunk === undefined) return
    const id = chunk.id ?? `run-${run_id}`
    const before = this.#soFar.get(id)
    const message = before ? before.concat(chunk) : chunk
    message.id = id
    this.#soFar.set(id, message)
    if (!before) this.emit('messages/metadata', { [id]: { metadata: streamMetadataOut(metadata) } })
    this.emit('messages/partial', [message])
  }

  addState(values: unknown): void {
    const messages = (values as { messages?: unknown } | null)?.messages
    if (!Array.isArray(messages)) return
    const fresh = (messages as Message[]).filter(({ id }) => id !== undefined && !this.#completed.has(id))
    for (const { id } of fresh) this.#completed.add(id as string)
    if (fresh.length) this.emit('messages/complete', fresh)
  }
}
