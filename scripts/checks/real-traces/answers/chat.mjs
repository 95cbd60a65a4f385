// Answers of the chat completions API and of the embeddings API, by the provider's API reference.

export const CHAT_MODEL = 'gpt-5-mini-2025-08-07'

/** @param {{ text?: string | null, refusal?: string, calls?: [string, string, object][], finish?: string, audio?: object,
 *   annotations?: object[], usage?: object, reasoning?: string, cutAfter?: number, model?: string, id?: string }} said */
export function chat({
  text,
  refusal,
  calls,
  finish,
  audio,
  annotations,
  usage,
  reasoning,
  cutAfter,
  model,
  id = 'chatcmpl-BxY1',
}) {
  const message = {
    role: 'assistant',
    content: text ?? null,
    refusal: refusal ?? null,
    ...(reasoning && { reasoning_content: reasoning }),
    annotations: annotations ?? [],
    ...(audio && { audio }),
    ...(calls && { tool_calls: calls.map(callOf) }),
  }
  const reason = finish ?? (calls ? 'tool_calls' : 'stop')
  const head = { id, created: 1763900000, model: model ?? CHAT_MODEL, service_tier: 'default' }
  const counts = usage ?? chatUsage(20, 8)
  const json = {
    ...head,
    object: 'chat.completion',
    choices: [{ index: 0, message, logprobs: null, finish_reason: reason }],
    usage: counts,
    system_fingerprint: 'fp_1a2b3c',
  }
  /** @param {object} delta @param {string | null} [finish_reason] */
  const chunk = (delta, finish_reason = null) => ({
    data: { ...head, object: 'chat.completion.chunk', choices: [{ index: 0, delta, logprobs: null, finish_reason }] },
  })
  const events = [
    chunk({ role: 'assistant', content: '', refusal: null }),
    ...(reasoning ? pieces(reasoning).map((piece) => chunk({ reasoning_content: piece })) : []),
    ...pieces(text ?? '').map((piece) => chunk({ content: piece })),
    ...pieces(refusal ?? '').map((piece) => chunk({ refusal: piece })),
    ...(annotations ? [chunk({ annotations })] : []),
    ...(calls ?? []).flatMap(([id, name, args], index) => [
      chunk({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }] }),
      ...pieces(JSON.stringify(args)).map((piece) =>
        chunk({ tool_calls: [{ index, function: { arguments: piece } }] }),
      ),
    ]),
    chunk({}, reason),
    { data: { ...head, object: 'chat.completion.chunk', choices: [], usage: counts } },
  ]
  return { json, events, done: '[DONE]', ...(cutAfter !== undefined && { cutAfter }) }
}

/** @param {[string, string, object]} call */
const callOf = ([id, name, args]) => ({ id, type: 'function', function: { name, arguments: JSON.stringify(args) } })

/** A text in pieces, as a stream has it. */
export const pieces = (text) => text.match(/[\s\S]{1,12}/g) ?? []

export const chatUsage = (input, output, { cached = 0, reasoning = 0, audioIn = 0, audioOut = 0 } = {}) => ({
  prompt_tokens: input,
  completion_tokens: output,
  total_tokens: input + output,
  prompt_tokens_details: { cached_tokens: cached, audio_tokens: audioIn },
  completion_tokens_details: {
    reasoning_tokens: reasoning,
    audio_tokens: audioOut,
    accepted_prediction_tokens: 0,
    rejected_prediction_tokens: 0,
  },
})

export const embedding = (vectors) => ({
  json: {
    object: 'list',
    data: vectors.map((embedding, index) => ({ object: 'embedding', index, embedding })),
    model: 'text-embedding-3-small',
    usage: { prompt_tokens: 6, total_tokens: 6 },
  },
})

/** The errors of the provider, as its error guide lists them. */
export const openaiError = (status, code, message) => ({
  status,
  json: { error: { message, type: 'invalid_request_error', param: null, code } },
})
