import { message, messageUsage } from '../answers/anthropic.mjs'
import { chat, openaiError } from '../answers/chat.mjs'
import { gemini, geminiUsage } from '../answers/gemini.mjs'
import { anthropicBlocks, anthropicReads } from './anthropic.mjs'
import { PIXEL } from './media.mjs'

// LangChain's models of Anthropic and Google, agents, tools and errors.

const QUESTION = 'How high is the tide?'
const asked = [['user', QUESTION]]
const BOTH = [false, true]
const said = (model, { stream, drain }, given = QUESTION) => (stream ? drain(model.stream(given)) : model.invoke(given))

const THINKING = [
  { type: 'thinking', thinking: 'The tide depends on the place and on the moon.', signature: 'c2lnbmF0dXJl' },
  { type: 'text', text: 'I look it up.' },
  { type: 'tool_use', id: 'toolu_1', name: 'tide_at', input: { place: 'Brest' } },
]
const THINKING_READ = [
  'assistant',
  { reasoning: 'The tide depends on the place and on the moon.' },
  'I look it up.',
  { call: 'tide_at', id: 'toolu_1', args: { place: 'Brest' } },
]

export const cases = [
  {
    name: 'langchain anthropic: thinking, text, tool call, cache',
    streams: BOTH,
    answers: [
      message({ content: THINKING, stop: 'tool_use', usage: messageUsage(25, 80, { read: 2000, write5m: 300 }) }),
    ],
    call: async (t) => await said(t.chatAnthropic().bindTools([t.tideTool()]), t),
    reads: {
      run: 'ChatAnthropic',
      inputs: asked,
      outputs: [THINKING_READ],
      usage: { input: 2325, output: 80, total: 2405, cache_read: 2000, cache_write: 300 },
      finish: 'tool_calls',
    },
    lostInStream: {
      why: 'The package adds the tokens of both usage events of a stream.',
      usage: { input: 2325, output: 81, total: 2406, cache_read: 2000, cache_write: 300 },
    },
  },
  {
    name: 'langchain anthropic: a search before the answer, with quotes',
    streams: BOTH,
    answers: [
      message({
        content: [
          { type: 'text', text: 'Let me search.' },
          anthropicBlocks.SEARCH_CALL,
          anthropicBlocks.SEARCH_RESULT,
          anthropicBlocks.CITED,
        ],
      }),
    ],
    call: async (t) => await said(t.chatAnthropic(), t),
    lostInStream: {
      why: 'The package drops the server tools of a stream, and keeps their arguments as an invalid call.',
      outputs: [
        ['assistant', 'Let me search.', anthropicReads.cited, { call: undefined, args: { query: 'tide in Brest' } }],
      ],
    },
    reads: {
      run: 'ChatAnthropic',
      inputs: asked,
      outputs: [['assistant', 'Let me search.', anthropicReads.call, anthropicReads.found, anthropicReads.cited]],
      finish: 'stop',
    },
  },
  {
    name: 'langchain anthropic: standard content blocks',
    answers: [
      message({
        content: [
          { type: 'text', text: 'Let me search.' },
          anthropicBlocks.SEARCH_CALL,
          anthropicBlocks.SEARCH_RESULT,
          anthropicBlocks.CITED,
        ],
      }),
    ],
    call: async (t) => await said(t.chatAnthropic({ outputVersion: 'v1' }), t),
    reads: {
      run: 'ChatAnthropic',
      inputs: asked,
      outputs: [
        [
          'assistant',
          'Let me search.',
          anthropicReads.call,
          // A standard result of a search has addresses only.
          { result: 'srvtoolu_1', status: 'success', blocks: [{ source: 'https://sea.example.com/brest' }] },
          anthropicReads.cited,
        ],
      ],
      finish: 'stop',
    },
  },
  {
    name: 'langchain google: thoughts, function call, code, picture',
    streams: BOTH,
    answers: [
      gemini({
        parts: [
          { text: 'The moon matters.', thought: true },
          { text: 'I compute it.' },
          { executableCode: { language: 'PYTHON', code: 'print(6)' } },
          { codeExecutionResult: { outcome: 'OUTCOME_OK', output: 'six printed' } },
          { functionCall: { name: 'tide_at', args: { place: 'Brest' } } },
        ],
        usage: geminiUsage(100, 5, { thoughts: 40 }),
      }),
    ],
    call: async (t) => await said(t.chatGoogle().bindTools([t.tideTool()]), t),
    reads: {
      run: 'ChatGoogleGenerativeAI',
      inputs: asked,
      outputs: [
        [
          'assistant',
          { reasoning: 'The moon matters.' },
          'I compute it.',
          {
            server: 'code_execution',
            args: { language: 'PYTHON', code: 'print(6)' },
            status: 'success',
            result: ['six printed'],
          },
          { call: 'tide_at', args: { place: 'Brest' } },
        ],
      ],
      usage: { input: 100, output: 45, total: 145 },
      finish: 'stop',
    },
  },
  {
    name: 'langchain google: a picture in, a picture out',
    answers: [gemini({ parts: [{ text: 'Here it is.' }, { inlineData: { mimeType: 'image/png', data: PIXEL } }] })],
    call: async (t) => {
      const { HumanMessage } = t.load('@langchain/core/messages')
      const content = [
        { type: 'text', text: 'Draw this again.' },
        { type: 'image_url', image_url: `data:image/png;base64,${PIXEL}` },
      ]
      return await t.chatGoogle().invoke([new HumanMessage({ content })])
    },
    reads: {
      run: 'ChatGoogleGenerativeAI',
      inputs: [['user', 'Draw this again.', { image: 'image/png' }]],
      outputs: [['assistant', 'Here it is.', { image: 'image/png' }]],
      finish: 'stop',
    },
  },
  {
    name: 'agent: a tool that answers and one that fails',
    answers: [
      chat({
        calls: [
          ['call_1', 'tide_at', { place: 'Brest' }],
          ['call_2', 'tide_at', { place: 'Atlantis' }],
        ],
      }),
      chat({ text: 'Six metres in Brest. Atlantis is unknown.', id: 'chatcmpl-BxY2' }),
    ],
    call: async ({ agent }) => await agent().invoke({ messages: [{ role: 'user', content: QUESTION }] }),
    reads: [
      {
        run: 'model_request',
        inputs: asked,
        outputs: [
          [
            'assistant',
            { call: 'tide_at', id: 'call_1', args: { place: 'Brest' } },
            { call: 'tide_at', id: 'call_2', args: { place: 'Atlantis' } },
          ],
        ],
      },
      { run: 'tide_at', outputs: [['tool', 'six metres']] },
      {
        run: 'LangGraph',
        inputs: asked,
        outputs: [
          ...asked,
          [
            'assistant',
            { call: 'tide_at', id: 'call_1', args: { place: 'Brest' } },
            { call: 'tide_at', id: 'call_2', args: { place: 'Atlantis' } },
          ],
          ['tool', 'six metres'],
          ['tool', { says: 'No such place: Atlantis' }],
          ['assistant', 'Six metres in Brest. Atlantis is unknown.'],
        ],
        results: { call_1: ['success', 'six metres'], call_2: ['error', 'No such place: Atlantis'] },
      },
    ],
  },
  {
    name: 'langchain: an error of the provider',
    answers: [openaiError(401, 'invalid_api_key', 'Incorrect API key provided.')],
    isFailing: true,
    call: async ({ chatOpenAI }) => await chatOpenAI({ model: 'gpt-5-mini' }).invoke(QUESTION),
    reads: { run: 'ChatOpenAI', inputs: asked, outputs: undefined, error: 'Incorrect API key provided.' },
  },
  {
    name: 'langchain: a time-out',
    answers: [{ never: true }],
    isFailing: true,
    call: async ({ chatOpenAI }) => await chatOpenAI({ model: 'gpt-5-mini', timeout: 300 }).invoke(QUESTION),
    reads: { run: 'ChatOpenAI', inputs: asked, outputs: undefined, error: 'timed out' },
  },
]
