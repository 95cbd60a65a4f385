// Answers of Mistral's chat API and of Ollama's, by their API references.
import { pieces } from './chat.mjs'

const MISTRAL_MODEL = 'mistral-medium-2508'

/** @param {{ text?: string, thinking?: string, calls?: [string, string, object][], usage: [number, number], finish?: string }} said */
export function mistral({ text, thinking, calls, usage: [input, output], finish }) {
  const content = thinking
    ? [
        { type: 'thinking', thinking: [{ type: 'text', text: thinking }] },
        { type: 'text', text: text ?? '' },
      ]
    : (text ?? '')
  const tool_calls = calls?.map(([id, name, args], index) => ({
    ...{ id, type: 'function', index },
    function: { name, arguments: JSON.stringify(args) },
  }))
  const reason = finish ?? (calls ? 'tool_calls' : 'stop')
  const usage = { prompt_tokens: input, completion_tokens: output, total_tokens: input + output }
  const head = { id: 'cmpl-e5cc70bb28c444948073e77776eb30ef', created: 1763900000, model: MISTRAL_MODEL }
  const message = { role: 'assistant', content, tool_calls: tool_calls ?? null, prefix: false }
  const chunk = (delta, finish_reason = /** @type {string | null} */ (null), more = {}) => ({
    data: { ...head, object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason }], ...more },
  })
  return {
    json: {
      ...head,
      object: 'chat.completion',
      choices: [{ index: 0, message, finish_reason: reason }],
      usage,
    },
    events: [
      chunk({ role: 'assistant', content: '' }),
      ...(thinking ? [chunk({ content: content.slice(0, 1) })] : []),
      ...pieces(text ?? '').map((piece) => chunk({ content: piece })),
      // The last chunk has the calls and the usage.
      chunk({ content: '', ...(tool_calls && { tool_calls }) }, reason, { usage }),
    ],
    done: '[DONE]',
  }
}

/** Ollama streams lines of JSON. @param {{ text?: string, thinking?: string, calls?: [string, object][], usage: [number, number], finish?: string }} said */
export function ollama({ text, thinking, calls, usage: [input, output], finish }) {
  const head = { model: 'qwen3:8b', created_at: '2026-11-23T12:00:00.000Z' }
  const line = (message) => ({ ...head, message: { role: 'assistant', content: '', ...message }, done: false })
  return {
    lines: [
      ...pieces(thinking ?? '').map((piece) => line({ thinking: piece })),
      ...pieces(text ?? '').map((piece) => line({ content: piece })),
      ...(calls ? [line({ tool_calls: calls.map(([name, args]) => ({ function: { name, arguments: args } })) })] : []),
      {
        ...head,
        ...{ message: { role: 'assistant', content: '' }, done: true, done_reason: finish ?? 'stop' },
        ...{ total_duration: 5_191_566_416, load_duration: 2_154_458, prompt_eval_count: input },
        ...{ prompt_eval_duration: 383_809_000, eval_count: output, eval_duration: 4_799_921_000 },
      },
    ],
  }
}

/** The moderations API. */
export const moderation = {
  json: {
    ...{ id: 'modr-970d409ef3bef3b70c73d8232df86e7d', model: 'omni-moderation-latest' },
    results: [
      {
        flagged: true,
        categories: { harassment: false, violence: true },
        category_scores: { harassment: 0.02, violence: 0.97 },
        category_applied_input_types: { harassment: ['text'], violence: ['text'] },
      },
    ],
  },
}
