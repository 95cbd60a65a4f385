import { setTimeout as sleep } from 'node:timers/promises'
import { BaseChatModel } from '@langchain/core/language_models/chat_models'
import { AIMessage, AIMessageChunk } from '@langchain/core/messages'
import { ChatGenerationChunk } from '@langchain/core/outputs'

/**
 * A chat model that replies with what `script` returns for the messages: `{ text, toolCalls: [{ name, args }] }`.
 * Streams one word per `delayMs`, and stops when the run is cancelled.
 */
export class ScriptedModel extends BaseChatModel {
  constructor({ script, delayMs = 30, ...fields }) {
    super(fields)
    this.script = script
    this.delayMs = delayMs
  }

  _llmType() {
    return 'scripted'
  }

  getLsParams() {
    return { ls_provider: 'scripted', ls_model_name: 'scripted-1', ls_model_type: 'chat' }
  }

  async _generate(messages, options, runManager) {
    let whole
    for await (const chunk of this._streamResponseChunks(messages, options, runManager))
      whole = whole ? whole.concat(chunk) : chunk
    const { content, tool_calls, usage_metadata, response_metadata, id } = whole.message
    const message = new AIMessage({ id, content, tool_calls, usage_metadata, response_metadata })
    return { generations: [{ text: whole.text, message }] }
  }

  async *_streamResponseChunks(messages, options, runManager) {
    const { text = '', toolCalls = [] } = this.script(messages)
    const id = `run-${runManager?.runId ?? crypto.randomUUID()}`
    /** Tells the callbacks too, because the stream of a run has only what they were told. */
    const chunk = async (word, fields) => {
      const one = new ChatGenerationChunk({ text: word, message: new AIMessageChunk({ id, content: word, ...fields }) })
      await runManager?.handleLLMNewToken(word, undefined, undefined, undefined, undefined, { chunk: one })
      return one
    }

    const words = text.match(/\s*\S+\s*$|\s*\S+/g) ?? []
    for (const word of words) {
      await sleep(this.delayMs, undefined, { signal: options?.signal })
      yield await chunk(word)
    }
    for (const [index, { name, args }] of toolCalls.entries()) {
      const json = JSON.stringify(args)
      // Like real models: the name first, then the arguments in chunks.
      const pieces = [
        { name, id: `call_${id.slice(-8)}_${index}`, args: '' },
        ...(json.match(/.{1,12}/g) ?? []).map((args) => ({ args })),
      ]
      for (const piece of pieces) {
        await sleep(this.delayMs, undefined, { signal: options?.signal })
        yield await chunk('', { tool_call_chunks: [{ type: 'tool_call_chunk', index, ...piece }] })
      }
    }
    const input_tokens = messages.reduce((sum, message) => sum + countWords(message.text), 0)
    const output_tokens = words.length + toolCalls.length * 8
    yield await chunk('', {
      usage_metadata: { input_tokens, output_tokens, total_tokens: input_tokens + output_tokens },
      response_metadata: { model_name: 'scripted-1', finish_reason: toolCalls.length ? 'tool_calls' : 'stop' },
    })
  }
}

const countWords = (text) => text.split(/\s+/).filter(Boolean).length
