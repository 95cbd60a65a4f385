import type { TraceFormat } from './formats'

/** One valid block of each type of each format, for the format checker and its tests. */
export type BlockExample = { format: TraceFormat; type: string; reads: string; block: Record<string, unknown> }

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const SOUND = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA='
const PICTURE = 'https://example.com/picture.png'

const example = (format: TraceFormat, reads: string, block: Record<string, unknown>): BlockExample => ({
  format,
  type: String(block.type),
  reads,
  block,
})

export const BLOCK_EXAMPLES: readonly BlockExample[] = [
  example('own', 'text', {
    type: 'text',
    text: 'Hello',
    annotations: [{ type: 'citation', url: PICTURE }],
    extras: { a: 1 },
  }),
  example('own', 'reasoning', { type: 'reasoning', text: 'First, add both numbers.' }),
  ...(['image', 'file', 'audio', 'video'] as const).flatMap((kind) => [
    example('own', kind, { type: kind, url: `https://example.com/one.${kind}` }),
    example('own', kind, { type: kind, base64: PIXEL, mime_type: kind === 'file' ? 'application/pdf' : `${kind}/png` }),
    example('own', kind, { type: kind, id: 'media-1', mime_type: 'application/octet-stream' }),
  ]),
  example('own', 'tool_call', { type: 'tool_call', id: 'call_1', name: 'add', args: { a: 1, b: 2 } }),
  example('own', 'server_tool_call', {
    type: 'server_tool_call',
    id: 's1',
    name: 'web_search',
    args: { query: 'weather' },
  }),
  example('own', 'server_tool_result', {
    type: 'server_tool_result',
    tool_call_id: 's1',
    id: 'r1',
    status: 'success',
    output: { hits: 3 },
  }),
  example('langchain', 'reasoning', { type: 'reasoning', reasoning: 'Let me see.' }),
  example('langchain', 'image', { type: 'image', source_type: 'base64', data: PIXEL, mime_type: 'image/png' }),
  example('langchain', 'file', { type: 'text-plain', data: 'SGk=', mime_type: 'text/plain' }),
  example('langchain', 'tool_call', { type: 'tool_call_chunk', id: 'call_1', name: 'add', args: '{"a":1}', index: 0 }),
  example('completions', 'text', { type: 'text', text: 'What is this?' }),
  example('completions', 'image', { type: 'image_url', image_url: { url: PICTURE, detail: 'low' } }),
  example('completions', 'image', { type: 'image_url', image_url: { url: `data:image/png;base64,${PIXEL}` } }),
  example('completions', 'audio', { type: 'input_audio', input_audio: { data: SOUND, format: 'wav' } }),
  example('completions', 'file', { type: 'file', file: { file_id: 'file-1' } }),
  example('completions', 'file', {
    type: 'file',
    file: { file_data: `data:application/pdf;base64,${PIXEL}`, filename: 'a.pdf' },
  }),
  example('completions', 'refusal', { type: 'refusal', refusal: 'I cannot help with that.' }),
  example('responses', 'text', { type: 'input_text', text: 'Hello' }),
  example('responses', 'text', {
    type: 'output_text',
    text: 'Hi',
    annotations: [{ type: 'url_citation', url: PICTURE }],
  }),
  example('responses', 'image', { type: 'input_image', image_url: PICTURE }),
  example('responses', 'file', { type: 'input_file', file_id: 'file-1' }),
  example('responses', 'file', {
    type: 'input_file',
    file_data: `data:application/pdf;base64,${PIXEL}`,
    filename: 'a.pdf',
  }),
  example('responses', 'reasoning', {
    type: 'reasoning',
    id: 'rs_1',
    summary: [{ type: 'summary_text', text: 'I added.' }],
  }),
  example('responses', 'tool_call', { type: 'function_call', call_id: 'call_1', name: 'add', arguments: '{"a":1}' }),
  example('responses', 'tool_result', { type: 'function_call_output', call_id: 'call_1', output: '3' }),
  example('responses', 'server_tool_call', { type: 'web_search_call', id: 'ws_1', status: 'completed' }),
  example('anthropic', 'text', {
    type: 'text',
    text: 'It says so.',
    citations: [{ type: 'char_location', cited_text: 'so' }],
  }),
  example('anthropic', 'image', { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PIXEL } }),
  example('anthropic', 'image', { type: 'image', source: { type: 'url', url: PICTURE } }),
  example('anthropic', 'file', {
    type: 'document',
    title: 'Terms',
    source: { type: 'base64', media_type: 'application/pdf', data: PIXEL },
  }),
  example('anthropic', 'file', {
    type: 'document',
    source: { type: 'text', media_type: 'text/plain', data: 'Terms.' },
  }),
  example('anthropic', 'reasoning', { type: 'thinking', thinking: 'Let me think.', signature: 'c2ln' }),
  example('anthropic', 'reasoning', { type: 'redacted_thinking', data: 'aGlkZGVu' }),
  example('anthropic', 'tool_call', { type: 'tool_use', id: 'toolu_1', name: 'add', input: { a: 1 } }),
  example('anthropic', 'tool_result', {
    type: 'tool_result',
    tool_use_id: 'toolu_1',
    content: [{ type: 'text', text: '3' }],
    is_error: false,
  }),
  example('anthropic', 'server_tool_call', {
    type: 'server_tool_use',
    id: 'srvtoolu_1',
    name: 'web_search',
    input: { query: 'a' },
  }),
  example('anthropic', 'server_tool_result', {
    type: 'web_search_tool_result',
    tool_use_id: 'srvtoolu_1',
    content: [{ type: 'text', text: 'found' }],
  }),
  example('vercel', 'tool_call', { type: 'tool-call', toolCallId: 'c1', toolName: 'add', input: { a: 1 } }),
  example('vercel', 'tool_result', {
    type: 'tool-result',
    toolCallId: 'c1',
    toolName: 'add',
    output: { type: 'json', value: 3 },
  }),
]
