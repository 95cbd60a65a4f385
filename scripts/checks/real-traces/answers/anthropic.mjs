// Answers of the messages API, by the provider's API reference.
import { pieces } from './chat.mjs'

/** @param {{ content: Record<string, any>[], stop?: string, usage?: Record<string, any>, cutAfter?: number, model?: string }} said */
export function message({
  content,
  stop = 'end_turn',
  usage = messageUsage(25, 10),
  cutAfter,
  model = 'claude-sonnet-4-5-20250929',
}) {
  const head = { id: 'msg_01Ab', type: 'message', role: 'assistant', model }
  const json = { ...head, content, stop_reason: stop, stop_sequence: null, usage }
  const event = (type, rest = {}) => ({ event: type, data: { type, ...rest } })
  const begun = { ...json, content: [], stop_reason: null, usage: { ...usage, output_tokens: 1 } }
  const events = [
    event('message_start', { message: begun }),
    ...content.flatMap((block, index) => [
      event('content_block_start', { index, content_block: opened(block) }),
      ...deltasOf(block).map((delta) => event('content_block_delta', { index, delta })),
      event('content_block_stop', { index }),
    ]),
    event('message_delta', {
      delta: { stop_reason: stop, stop_sequence: null },
      usage: { output_tokens: usage.output_tokens },
    }),
    event('message_stop'),
  ]
  return { json, events, ...(cutAfter !== undefined && { cutAfter }) }
}

/** A block as a stream begins it: without what its deltas add. */
function opened(block) {
  if (block.type === 'text') return { type: 'text', text: '', ...(block.citations && { citations: [] }) }
  if (block.type === 'thinking') return { type: 'thinking', thinking: '', signature: '' }
  return 'input' in block ? { ...block, input: {} } : block
}

function deltasOf(block) {
  if (block.type === 'text')
    return [
      ...(block.citations ?? []).map((citation) => ({ type: 'citations_delta', citation })),
      ...pieces(block.text).map((text) => ({ type: 'text_delta', text })),
    ]
  if (block.type === 'thinking')
    return [
      ...pieces(block.thinking).map((thinking) => ({ type: 'thinking_delta', thinking })),
      { type: 'signature_delta', signature: block.signature },
    ]
  return 'input' in block
    ? pieces(JSON.stringify(block.input)).map((partial_json) => ({ type: 'input_json_delta', partial_json }))
    : []
}

export const messageUsage = (input, output, { read = 0, write5m = 0, write1h = 0 } = {}) => ({
  input_tokens: input,
  cache_creation_input_tokens: write5m + write1h,
  cache_read_input_tokens: read,
  cache_creation: { ephemeral_5m_input_tokens: write5m, ephemeral_1h_input_tokens: write1h },
  output_tokens: output,
  service_tier: 'standard',
})
