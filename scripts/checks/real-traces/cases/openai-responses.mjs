import { messageItem, response, responseUsage } from '../answers/responses.mjs'
import { PIXEL } from './media.mjs'

// The Responses API by the wrapper. What is expected follows the provider's API reference of output items: what a call
// was asked for are its arguments, what it found is its result.

const QUESTION = 'What is new about tides?'
const ask =
  (asked) =>
  async ({ openai, stream, drain }) => {
    const params = { model: 'gpt-5', input: QUESTION, ...asked }
    if (!stream) return await openai().responses.create(params)
    return await drain(openai().responses.create({ ...params, stream: true }))
  }
const run = 'ChatOpenAI'
const asked = [['user', QUESTION]]
const BOTH = [false, true]

export const SEARCH = {
  id: 'ws_1',
  type: 'web_search_call',
  status: 'completed',
  action: {
    type: 'search',
    query: 'news about tides',
    sources: [{ type: 'url', url: 'https://sea.example.com/tides' }],
  },
}
export const FILES = {
  id: 'fs_1',
  type: 'file_search_call',
  status: 'completed',
  queries: ['tide tables'],
  results: [{ file_id: 'file-1', filename: 'tides.md', score: 0.87, text: 'High tide is at noon.', attributes: {} }],
}
export const CODE = {
  id: 'ci_1',
  type: 'code_interpreter_call',
  status: 'completed',
  code: 'print(6 * 7)',
  container_id: 'cntr_1',
  outputs: [{ type: 'logs', logs: 'forty-two is 42' }],
}
export const MCP_TOOLS = {
  id: 'mcpl_1',
  type: 'mcp_list_tools',
  server_label: 'harbour',
  tools: [{ name: 'tide_at', description: 'The tide at a place', input_schema: { type: 'object' }, annotations: null }],
  error: null,
}
export const MCP = {
  id: 'mcp_1',
  type: 'mcp_call',
  status: 'completed',
  server_label: 'harbour',
  name: 'tide_at',
  arguments: '{"place":"Brest"}',
  output: 'The water is rising.',
  error: null,
  approval_request_id: null,
}
export const MCP_FAILED = {
  ...MCP,
  id: 'mcp_2',
  status: 'failed',
  arguments: '{"place":"Atlantis"}',
  output: null,
  error: 'No such place: Atlantis',
}
export const PICTURE = {
  id: 'ig_1',
  type: 'image_generation_call',
  status: 'completed',
  background: 'opaque',
  output_format: 'png',
  quality: 'low',
  size: '1024x1024',
  revised_prompt: 'A calm sea at dawn',
  result: PIXEL,
}
export const CITED = messageItem('Tides are higher this year.', [
  { type: 'url_citation', start_index: 0, end_index: 27, url: 'https://sea.example.com/tides', title: 'Tides' },
])

/** How the items above read from each package. */
export const READ = {
  search: {
    server: 'web_search',
    id: 'ws_1',
    args: { type: 'search', query: 'news about tides' },
    status: 'success',
    result: [{ source: 'https://sea.example.com/tides' }],
  },
  files: {
    server: 'file_search',
    id: 'fs_1',
    args: { queries: ['tide tables'] },
    status: 'success',
    result: [{ document: 'High tide is at noon.', name: 'tides.md', score: 0.87 }],
  },
  code: {
    server: 'code_interpreter',
    id: 'ci_1',
    args: { code: 'print(6 * 7)' },
    status: 'success',
    result: ['forty-two is 42'],
  },
  mcpTools: { server: 'mcp_list_tools', id: 'mcpl_1', args: { server_label: 'harbour' }, status: 'success' },
  mcp: {
    server: 'tide_at',
    id: 'mcp_1',
    args: { place: 'Brest' },
    status: 'success',
    result: ['The water is rising.'],
  },
  mcpFailed: {
    server: 'tide_at',
    id: 'mcp_2',
    args: { place: 'Atlantis' },
    status: 'error',
    result: ['No such place: Atlantis'],
  },
  picture: {
    server: 'image_generation',
    id: 'ig_1',
    args: { revised_prompt: 'A calm sea at dawn' },
    status: 'success',
    result: [{ image: 'image/png' }],
  },
  cited: {
    text: 'Tides are higher this year.',
    cites: [['https://sea.example.com/tides', 'Tides', 'Tides are higher this year.']],
  },
}

export const cases = [
  {
    name: 'responses: reasoning summary, function call, cached input',
    streams: BOTH,
    answers: [
      response({
        output: [
          {
            id: 'rs_1',
            type: 'reasoning',
            summary: [
              { type: 'summary_text', text: 'I need the tables.' },
              { type: 'summary_text', text: 'Then I answer.' },
            ],
          },
          {
            id: 'fc_1',
            type: 'function_call',
            status: 'completed',
            call_id: 'call_t1',
            name: 'tide_table',
            arguments: '{"port":"Brest"}',
          },
        ],
        usage: responseUsage(500, 90, { cached: 256, reasoning: 64 }),
      }),
    ],
    call: ask({
      instructions: 'Be brief.',
      tools: [{ type: 'function', name: 'tide_table', parameters: { type: 'object', properties: {} }, strict: false }],
    }),
    reads: {
      run,
      inputs: [['system', 'Be brief.'], ...asked],
      outputs: [
        ['assistant', { reasoning: 'I need the tables.\n\nThen I answer.' }],
        ['assistant', { call: 'tide_table', id: 'call_t1', args: { port: 'Brest' } }],
      ],
      usage: { input: 500, output: 90, total: 590, cache_read: 256, reasoning: 64 },
      finish: 'tool_calls',
    },
  },
  {
    name: 'responses: every tool that the provider runs',
    streams: BOTH,
    answers: [response({ output: [MCP_TOOLS, SEARCH, FILES, CODE, MCP, MCP_FAILED, PICTURE, CITED] })],
    call: ask({
      include: ['file_search_call.results', 'web_search_call.action.sources', 'code_interpreter_call.outputs'],
    }),
    reads: {
      run,
      inputs: asked,
      outputs: [
        READ.mcpTools,
        READ.search,
        READ.files,
        READ.code,
        READ.mcp,
        READ.mcpFailed,
        READ.picture,
        READ.cited,
      ].map((block) => ['assistant', block]),
      finish: 'stop',
    },
  },
  {
    name: 'responses: encrypted reasoning',
    answers: [
      response({
        output: [
          { id: 'rs_2', type: 'reasoning', summary: [], encrypted_content: 'gAAAAABo8fZ1c2VjcmV0' },
          messageItem('Noon.'),
        ],
        usage: responseUsage(40, 150, { reasoning: 128 }),
      }),
    ],
    call: ask({ store: false, include: ['reasoning.encrypted_content'] }),
    reads: {
      run,
      inputs: asked,
      outputs: [
        ['assistant', { hidden: 128 }],
        ['assistant', 'Noon.'],
      ],
      usage: { input: 40, output: 150, total: 190, reasoning: 128 },
      finish: 'stop',
    },
  },
  {
    name: 'responses: refusal',
    streams: BOTH,
    answers: [
      response({
        output: [{ ...messageItem(''), content: [{ type: 'refusal', refusal: 'I cannot help with smuggling.' }] }],
      }),
    ],
    call: ask({}),
    reads: {
      run,
      inputs: asked,
      outputs: [['assistant', { refusal: 'I cannot help with smuggling.' }]],
      finish: 'refusal',
    },
  },
  {
    name: 'responses: cut off by the token limit',
    answers: [
      response({
        output: [{ id: 'rs_3', type: 'reasoning', summary: [] }],
        status: 'incomplete',
        incomplete: 'max_output_tokens',
        usage: responseUsage(40, 64, { reasoning: 64 }),
      }),
    ],
    call: ask({ max_output_tokens: 64 }),
    reads: { run, inputs: asked, outputs: [['assistant', { hidden: 64 }]], finish: 'length' },
  },
  {
    name: 'responses: a conversation handed back',
    answers: [response({ output: [messageItem('At noon.')] })],
    call: ask({
      input: [
        {
          role: 'user',
          content: [
            { type: 'input_text', text: 'When is high tide?' },
            { type: 'input_image', image_url: `data:image/png;base64,${PIXEL}`, detail: 'low' },
          ],
        },
        { type: 'item_reference', id: 'rs_1' },
        { type: 'function_call', call_id: 'call_t1', name: 'tide_table', arguments: '{"port":"Brest"}' },
        { type: 'function_call_output', call_id: 'call_t1', output: 'High tide at 12:04' },
      ],
    }),
    reads: {
      run,
      inputs: [
        ['user', 'When is high tide?', { image: 'image/png' }],
        ['assistant', { reference: 'rs_1' }],
        ['assistant', { call: 'tide_table', id: 'call_t1', args: { port: 'Brest' } }],
        ['tool', { result: 'call_t1' }],
      ],
      outputs: [['assistant', 'At noon.']],
      results: { call_t1: ['success', 'High tide at 12:04'] },
      finish: 'stop',
    },
  },
]
