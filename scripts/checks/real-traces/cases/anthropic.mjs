import { message, messageUsage } from '../answers/anthropic.mjs'
import { PAGE } from './media.mjs'

// The messages API by the wrapper. What is expected follows the provider's reference: blocks in order, `stop_reason`,
// and usage where input is what was neither read from nor written to the cache.

const QUESTION = 'How high is the tide?'
const ask =
  (asked) =>
  async ({ anthropic, stream, drain }) => {
    const params = {
      model: 'claude-sonnet-4-5',
      max_tokens: 1024,
      messages: [{ role: 'user', content: QUESTION }],
      ...asked,
    }
    if (!stream) return await anthropic().messages.create(params)
    return await drain(anthropic().messages.create({ ...params, stream: true }))
  }
const run = 'ChatAnthropic'
const asked = [['user', QUESTION]]
const BOTH = [false, true]

const SEARCH_CALL = { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'tide in Brest' } }
const FOUND = {
  type: 'web_search_result',
  url: 'https://sea.example.com/brest',
  title: 'Tides of Brest',
  encrypted_content: 'RW5jcnlwdGVk',
  page_age: '2 days ago',
}
const SEARCH_RESULT = { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [FOUND] }
const SEARCH_FAILED = {
  type: 'web_search_tool_result',
  tool_use_id: 'srvtoolu_2',
  content: { type: 'web_search_tool_result_error', error_code: 'max_uses_exceeded' },
}
const CITED = {
  type: 'text',
  text: 'The tide is six metres high.',
  citations: [
    {
      type: 'web_search_result_location',
      url: FOUND.url,
      title: FOUND.title,
      encrypted_index: 'RW8',
      cited_text: 'Six metres at noon',
    },
  ],
}
const RAN = {
  type: 'bash_code_execution_tool_result',
  tool_use_id: 'srvtoolu_3',
  content: {
    type: 'bash_code_execution_result',
    stdout: 'six metres exactly',
    stderr: '',
    return_code: 0,
    content: [],
  },
}

export const anthropicBlocks = { SEARCH_CALL, SEARCH_RESULT, CITED }
export const anthropicReads = {
  call: { server: 'web_search', id: 'srvtoolu_1', args: { query: 'tide in Brest' } },
  found: { result: 'srvtoolu_1', status: 'success', blocks: [{ source: FOUND.url, title: 'Tides of Brest' }] },
  cited: { text: CITED.text, cites: [[FOUND.url, 'Tides of Brest', 'Six metres at noon']] },
}

export const cases = [
  {
    name: 'anthropic: thinking, text, tool call, cache reads and writes',
    streams: BOTH,
    answers: [
      message({
        content: [
          { type: 'thinking', thinking: 'The tide depends on the place, so I ask for it.', signature: 'c2lnbmF0dXJl' },
          { type: 'redacted_thinking', data: 'aGlkZGVuIHRob3VnaHRz' },
          { type: 'text', text: 'I look it up.' },
          { type: 'tool_use', id: 'toolu_1', name: 'tide_at', input: { place: 'Brest' } },
        ],
        stop: 'tool_use',
        usage: messageUsage(25, 80, { read: 2000, write5m: 300, write1h: 100 }),
      }),
    ],
    call: ask({
      system: [{ type: 'text', text: 'You know the sea.', cache_control: { type: 'ephemeral' } }],
      thinking: { type: 'enabled', budget_tokens: 1024 },
      max_tokens: 2048,
      tools: [
        {
          name: 'tide_at',
          description: 'The tide at a place',
          input_schema: { type: 'object', properties: { place: { type: 'string' } } },
        },
      ],
    }),
    reads: {
      run,
      inputs: [['system', 'You know the sea.'], ...asked],
      outputs: [
        [
          'assistant',
          { reasoning: 'The tide depends on the place, so I ask for it.' },
          { hidden: true },
          'I look it up.',
          { call: 'tide_at', id: 'toolu_1', args: { place: 'Brest' } },
        ],
      ],
      usage: { input: 2425, output: 80, total: 2505, cache_read: 2000, cache_write_5m: 300, cache_write_1h: 100 },
      finish: 'tool_calls',
    },
    lostInStream: {
      why: 'The wrapper drops the thinking of a stream.',
      outputs: [
        [
          'assistant',
          { reasoning: '' },
          { hidden: true },
          'I look it up.',
          { call: 'tide_at', id: 'toolu_1', args: { place: 'Brest' } },
        ],
      ],
    },
  },
  {
    name: 'anthropic: a search before the answer, with quotes',
    streams: BOTH,
    answers: [
      message({
        content: [
          { type: 'text', text: 'Let me search.' },
          SEARCH_CALL,
          SEARCH_RESULT,
          CITED,
          { type: 'server_tool_use', id: 'srvtoolu_2', name: 'web_search', input: { query: 'tide of today' } },
          SEARCH_FAILED,
          {
            type: 'server_tool_use',
            id: 'srvtoolu_3',
            name: 'bash_code_execution',
            input: { command: 'tide --metres' },
          },
          RAN,
        ],
      }),
    ],
    call: ask({ tools: [{ type: 'web_search_20250305', name: 'web_search', max_uses: 1 }] }),
    reads: {
      run,
      inputs: asked,
      outputs: [
        [
          'assistant',
          'Let me search.',
          anthropicReads.call,
          anthropicReads.found,
          anthropicReads.cited,
          { server: 'web_search', id: 'srvtoolu_2', args: { query: 'tide of today' } },
          { result: 'srvtoolu_2', status: 'error', says: 'max_uses_exceeded' },
          { server: 'bash_code_execution', id: 'srvtoolu_3', args: { command: 'tide --metres' } },
          { result: 'srvtoolu_3', status: 'success', says: 'six metres exactly' },
        ],
      ],
      finish: 'stop',
    },
    lostInStream: {
      why: 'The wrapper drops the citations and the inputs of server tools of a stream.',
      outputs: [
        [
          'assistant',
          'Let me search.',
          { server: 'web_search', id: 'srvtoolu_1', args: {} },
          anthropicReads.found,
          'The tide is six metres high.',
          { server: 'web_search', id: 'srvtoolu_2', args: {} },
          { result: 'srvtoolu_2', status: 'error', says: 'max_uses_exceeded' },
          { server: 'bash_code_execution', id: 'srvtoolu_3', args: {} },
          { result: 'srvtoolu_3', status: 'success', says: 'six metres exactly' },
        ],
      ],
    },
  },
  {
    name: 'anthropic: documents in, a failed tool, a quote out',
    streams: BOTH,
    answers: [
      message({
        content: [
          {
            type: 'text',
            text: 'High tide is at noon.',
            citations: [
              {
                type: 'char_location',
                cited_text: 'Noon is high',
                document_index: 0,
                document_title: 'Tide tables',
                file_id: null,
                start_char_index: 0,
                end_char_index: 12,
              },
            ],
          },
        ],
      }),
    ],
    call: ask({
      messages: [
        {
          role: 'user',
          content: [
            {
              type: 'document',
              title: 'Tide tables',
              source: { type: 'text', media_type: 'text/plain', data: 'Noon is high, six is low.' },
              citations: { enabled: true },
            },
            { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: PAGE } },
            {
              type: 'search_result',
              source: 'https://sea.example.com/faq',
              title: 'Questions',
              content: [{ type: 'text', text: 'Tides come twice a day.' }],
            },
            { type: 'text', text: 'When is high tide?' },
          ],
        },
        {
          role: 'assistant',
          content: [{ type: 'tool_use', id: 'toolu_9', name: 'tide_at', input: { place: 'Mars' } }],
        },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 'toolu_9', is_error: true, content: 'There is no sea on Mars' },
          ],
        },
      ],
    }),
    reads: {
      run,
      inputs: [
        [
          'user',
          { file: 'text/plain', name: 'Tide tables', says: 'Noon is high, six is low.' },
          { file: 'application/pdf' },
          { source: 'https://sea.example.com/faq', title: 'Questions', says: 'Tides come twice a day.' },
          'When is high tide?',
        ],
        ['assistant', { call: 'tide_at', id: 'toolu_9', args: { place: 'Mars' } }],
        ['user', { result: 'toolu_9', status: 'error', says: 'There is no sea on Mars' }],
      ],
      outputs: [['assistant', { text: 'High tide is at noon.', cites: [[undefined, 'Tide tables', 'Noon is high']] }]],
      results: { toolu_9: ['error', 'There is no sea on Mars'] },
      finish: 'stop',
    },
    lostInStream: {
      why: 'The wrapper drops the citations of a stream.',
      outputs: [['assistant', 'High tide is at noon.']],
    },
  },
  {
    name: 'anthropic: refusal without a word',
    answers: [message({ content: [], stop: 'refusal', usage: messageUsage(25, 0) })],
    call: ask({}),
    reads: { run, inputs: asked, outputs: [['assistant']], finish: 'refusal' },
  },
  {
    name: 'anthropic: a stream that breaks off',
    streams: [true],
    answers: [message({ content: [{ type: 'text', text: 'The tide rises and then the line was cut.' }], cutAfter: 4 })],
    isFailing: true,
    call: ask({}),
    reads: { run, inputs: asked, outputs: [['assistant', 'The tide rises and then ']], error: 'terminated' },
  },
]
