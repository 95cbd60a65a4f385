import { BaseCallbackHandler } from '@langchain/core/callbacks/base'

/** One call of a chat model: how many chunks it sent, and how many of them arrived in the run's stream. */
export type ModelCall = {
  sent: number
  received: number
  isEnded: boolean
  error?: unknown
  /** Called at the end of the call. */
  onEnd?: () => void
}

type ChunkFields = { chunk?: { message?: object } }

/**
 * Makes chat models stream even if nobody asked for tokens, as on other servers, so that stored messages are the same
 * with every stream mode.
 */
export class PrefersStreaming extends BaseCallbackHandler {
  override name = 'PrefersStreaming'
  readonly lc_prefer_streaming = true
}

/** Follows model calls, because the runtime's stream does not tell which chunk of a message is the last one. */
export class ModelCalls extends PrefersStreaming {
  override name = 'ModelCalls'
  readonly #calls = new Map<string, ModelCall>()
  readonly #ofMessage = new WeakMap<object, ModelCall>()

  /** The call that sent this chunk; undefined for messages that are not streamed. */
  callOf(message: { id?: string }): ModelCall | undefined {
    // Older models send only the token; the runtime then names the message after the call.
    return this.#ofMessage.get(message) ?? this.#calls.get(message.id?.replace(/^run-/, '') ?? '')
  }

  override handleLLMNewToken(...[, , runId, , , fields]: unknown[]): void {
    const call = this.#calls.get(runId as string) ?? { sent: 0, received: 0, isEnded: false }
    this.#calls.set(runId as string, call)
    call.sent += 1
    const message = (fields as ChunkFields | undefined)?.chunk?.message
    if (message) this.#ofMessage.set(message, call)
  }

  override handleLLMEnd(_output: unknown, runId: string): void {
    this.#end(runId)
  }

  override handleLLMError(error: unknown, runId: string): void {
    this.#end(runId, error)
  }

  #end(runId: string, error?: unknown): void {
    const call = this.#calls.get(runId)
    if (!call) return
    call.isEnded = true
    if (error !== undefined) call.error = error
    call.onEnd?.()
  }
}
