import { BaseChatModel } from '@langchain/core/language_models/chat_models'
import { AIMessage, AIMessageChunk } from '@langchain/core/messages'
import { ChatGenerationChunk } from '@langchain/core/outputs'

// Without packages of the providers, so that the sample builds offline. A graph of your own would use those.

const ROLES = { human: 'user', ai: 'assistant', system: 'system' }
const spoken = (messages) =>
  messages.flatMap((message) => {
    const role = ROLES[message.getType()]
    return role ? [{ role, content: message.text }] : []
  })

/** What differs between the two kinds of servers. `read` returns the text and usage of one event. */
const PROVIDERS = {
  openai: {
    path: '/chat/completions',
    headers: (key) => (key ? { authorization: `Bearer ${key}` } : {}),
    body: (model, messages) => ({
      model,
      messages: spoken(messages),
      stream: true,
      stream_options: { include_usage: true },
    }),
    read: ({ choices, usage }) => ({
      text: choices?.[0]?.delta?.content ?? '',
      usage: usage && { input: usage.prompt_tokens, output: usage.completion_tokens },
    }),
  },
  anthropic: {
    path: '/v1/messages',
    headers: (key) => ({ 'x-api-key': key, 'anthropic-version': '2023-06-01' }),
    body: (model, messages) => ({
      model,
      max_tokens: 2048,
      system: spoken(messages).find(({ role }) => role === 'system')?.content,
      messages: spoken(messages).filter(({ role }) => role !== 'system'),
      stream: true,
    }),
    read: ({ type, delta, message, usage }) => ({
      text: type === 'content_block_delta' ? (delta?.text ?? '') : '',
      usage:
        type === 'message_start'
          ? { input: message?.usage?.input_tokens }
          : type === 'message_delta'
            ? { output: usage?.output_tokens }
            : undefined,
    }),
  },
}

/** The model that the environment names; undefined if it names none. */
export function configuredModel(env = process.env) {
  if (env.OPENAI_API_KEY || env.OPENAI_BASE_URL)
    return new HttpModel({
      provider: 'openai',
      key: env.OPENAI_API_KEY,
      baseUrl: env.OPENAI_BASE_URL || 'https://api.openai.com/v1',
      model: env.OPENAI_MODEL || 'gpt-4.1-mini',
    })
  if (env.ANTHROPIC_API_KEY)
    return new HttpModel({
      provider: 'anthropic',
      key: env.ANTHROPIC_API_KEY,
      baseUrl: env.ANTHROPIC_BASE_URL || 'https://api.anthropic.com',
      model: env.ANTHROPIC_MODEL || 'claude-haiku-4-5',
    })
  return undefined
}

/** A chat model behind an OpenAI-compatible or Anthropic API, streamed token by token. */
class HttpModel extends BaseChatModel {
  constructor({ provider, key, baseUrl, model }) {
    super({})
    Object.assign(this, { provider, key, baseUrl, model })
  }

  _llmType() {
    return this.provider
  }

  getLsParams() {
    return { ls_provider: this.provider, ls_model_name: this.model, ls_model_type: 'chat' }
  }

  async _generate(messages, options, runManager) {
    let whole
    for await (const chunk of this._streamResponseChunks(messages, options, runManager))
      whole = whole ? whole.concat(chunk) : chunk
    const { id, content, usage_metadata, response_metadata } = whole.message
    const message = new AIMessage({ id, content, usage_metadata, response_metadata })
    return { generations: [{ text: whole.text, message }] }
  }

  async *_streamResponseChunks(messages, options, runManager) {
    const id = `run-${runManager?.runId ?? crypto.randomUUID()}`
    const { read } = PROVIDERS[this.provider]
    const counted = { input: 0, output: 0 }
    for await (const event of eventsOf(await this.#ask(messages, options?.signal))) {
      if (event.error) throw new Error(`The model's server reported: ${this.#plain(event.error.message)}`)
      const { text, usage } = read(event)
      for (const key of ['input', 'output']) counted[key] = usage?.[key] ?? counted[key]
      if (text === '') continue
      yield new ChatGenerationChunk({ text, message: new AIMessageChunk({ id, content: text }) })
      await runManager?.handleLLMNewToken(text)
    }
    const { input, output } = counted
    yield new ChatGenerationChunk({
      text: '',
      message: new AIMessageChunk({
        id,
        content: '',
        usage_metadata: { input_tokens: input, output_tokens: output, total_tokens: input + output },
        response_metadata: { model_name: this.model, model_provider: this.provider },
      }),
    })
  }

  async #ask(messages, signal) {
    const { path, headers, body } = PROVIDERS[this.provider]
    const response = await fetch(this.baseUrl.replace(/\/+$/, '') + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers(this.key) },
      body: JSON.stringify(body(this.model, messages)),
      signal,
    })
    if (response.ok) return response.body
    const { error } = await response.json().catch(() => ({}))
    throw new Error(`The model's server responded with ${response.status}. ${this.#plain(error?.message)}`.trim())
  }

  /** A server's message, which may quote the key. */
  #plain(message) {
    const text = String(message ?? '').slice(0, 300)
    return this.key ? text.replaceAll(this.key, '[key]') : text
  }
}

/** The JSON values of a stream of server-sent events. */
async function* eventsOf(body) {
  let rest = ''
  for await (const piece of body.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + piece).split(/\r?\n/)
    rest = lines.pop() ?? ''
    for (const line of lines) {
      const data = line.startsWith('data:') ? line.slice(5).trim() : ''
      if (data !== '' && data !== '[DONE]') yield JSON.parse(data)
    }
  }
}
