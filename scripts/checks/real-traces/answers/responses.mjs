// Answers of the Responses API, by the provider's API reference.
import { pieces } from './chat.mjs'

/** @param {{ output: Record<string, any>[], status?: string, incomplete?: string, usage?: object, cutAfter?: number,
 *   model?: string, tools?: object[] }} said */
export function response({
  output,
  status = 'completed',
  incomplete,
  usage,
  cutAfter,
  model = 'gpt-5-2025-08-07',
  tools = [],
}) {
  const json = {
    id: 'resp_68f1',
    object: 'response',
    created_at: 1763900000,
    status,
    background: false,
    error: null,
    incomplete_details: incomplete ? { reason: incomplete } : null,
    instructions: null,
    max_output_tokens: null,
    model,
    output,
    parallel_tool_calls: true,
    previous_response_id: null,
    reasoning: { effort: 'medium', summary: null },
    store: true,
    temperature: 1,
    text: { format: { type: 'text' }, verbosity: 'medium' },
    tool_choice: 'auto',
    tools,
    top_p: 1,
    truncation: 'disabled',
    usage: usage ?? responseUsage(30, 12),
    user: null,
    metadata: {},
  }
  let number = 0
  const event = (type, rest) => ({ event: type, data: { type, sequence_number: number++, ...rest } })
  const begun = { ...json, status: 'in_progress', output: [], usage: null, incomplete_details: null }
  const events = [
    event('response.created', { response: begun }),
    event('response.in_progress', { response: begun }),
    ...output.flatMap((item, index) => itemEvents(item, index, event)),
    event(incomplete ? 'response.incomplete' : 'response.completed', { response: json }),
  ]
  return { json, events, ...(cutAfter !== undefined && { cutAfter }) }
}

function itemEvents(item, output_index, event) {
  const at = { output_index, item_id: item.id }
  const open = { ...item, status: 'in_progress' }
  const inner = []
  if (item.type === 'message') {
    open.content = []
    item.content.forEach((part, content_index) => {
      const place = { ...at, content_index }
      const isText = part.type === 'output_text'
      const key = isText ? 'text' : 'refusal'
      const kind = isText ? 'output_text' : 'refusal'
      inner.push(
        event('response.content_part.added', {
          ...place,
          part: { ...part, [key]: '', ...(isText && { annotations: [] }) },
        }),
      )
      for (const delta of pieces(part[key]))
        inner.push(event(`response.${kind}.delta`, { ...place, delta, ...(isText && { logprobs: [] }) }))
      ;(part.annotations ?? []).forEach((annotation, annotation_index) => {
        inner.push(event('response.output_text.annotation.added', { ...place, annotation_index, annotation }))
      })
      inner.push(event(`response.${kind}.done`, { ...place, [key]: part[key], ...(isText && { logprobs: [] }) }))
      inner.push(event('response.content_part.done', { ...place, part }))
    })
  } else if (item.type === 'reasoning') {
    open.summary = []
    ;(item.summary ?? []).forEach((part, summary_index) => {
      const place = { ...at, summary_index }
      inner.push(event('response.reasoning_summary_part.added', { ...place, part: { type: 'summary_text', text: '' } }))
      for (const delta of pieces(part.text))
        inner.push(event('response.reasoning_summary_text.delta', { ...place, delta }))
      inner.push(event('response.reasoning_summary_text.done', { ...place, text: part.text }))
      inner.push(event('response.reasoning_summary_part.done', { ...place, part }))
    })
  } else if (item.type === 'function_call') {
    open.arguments = ''
    for (const delta of pieces(item.arguments))
      inner.push(event('response.function_call_arguments.delta', { ...at, delta }))
    inner.push(event('response.function_call_arguments.done', { ...at, arguments: item.arguments }))
  } else if (item.type.endsWith('_call')) {
    for (const key of ['outputs', 'results', 'result', 'output']) if (key in open) open[key] = null
    inner.push(event(`response.${item.type}.in_progress`, at))
    inner.push(event(`response.${item.type}.completed`, at))
  }
  return [
    event('response.output_item.added', { output_index, item: open }),
    ...inner,
    event('response.output_item.done', { output_index, item }),
  ]
}

export const responseUsage = (input, output, { cached = 0, reasoning = 0 } = {}) => ({
  input_tokens: input,
  input_tokens_details: { cached_tokens: cached },
  output_tokens: output,
  output_tokens_details: { reasoning_tokens: reasoning },
  total_tokens: input + output,
})

export const messageItem = (text, annotations = []) => ({
  id: 'msg_01',
  type: 'message',
  status: 'completed',
  role: 'assistant',
  content: [{ type: 'output_text', text, annotations, logprobs: [] }],
})
