import { chat } from '../answers/chat.mjs'
import { mistral, moderation, ollama } from '../answers/others.mjs'

// Mistral, Ollama, moderation, and streams that end before their time.

const QUESTION = 'How high is the tide?'
const asked = [['user', QUESTION]]
const BOTH = [false, true]
const said = (model, { stream, drain }, given = QUESTION) => (stream ? drain(model.stream(given)) : model.invoke(given))
const LONG = 'The tide in Brest is six metres high, and it turns at noon.'

/** Reads a stream and gives up after its third chunk, which has text. */
async function abandon(stream, control) {
  let chunks = 0
  for await (const _ of await stream) {
    chunks += 1
    if (chunks === 3) control.abort()
  }
}

export const cases = [
  {
    name: 'mistral: text and usage',
    streams: BOTH,
    answers: [mistral({ text: 'Six metres.', usage: [14, 5] })],
    call: async (t) => await said(t.chatMistral(), t),
    reads: {
      run: 'ChatMistralAI',
      inputs: asked,
      outputs: [['assistant', 'Six metres.']],
      usage: { input: 14, output: 5, total: 19 },
      finish: 'stop',
    },
  },
  {
    name: 'mistral: tool calls',
    streams: BOTH,
    answers: [
      mistral({
        calls: [
          ['D681PevKs', 'tide_at', { place: 'Brest' }],
          ['E681PevKs', 'tide_at', { place: 'Dover' }],
        ],
        usage: [90, 30],
      }),
    ],
    call: async (t) => await said(t.chatMistral().bindTools([t.tideTool()]), t),
    reads: {
      run: 'ChatMistralAI',
      inputs: asked,
      outputs: [
        [
          'assistant',
          { call: 'tide_at', id: 'D681PevKs', args: { place: 'Brest' } },
          { call: 'tide_at', id: 'E681PevKs', args: { place: 'Dover' } },
        ],
      ],
      usage: { input: 90, output: 30, total: 120 },
      finish: 'tool_calls',
    },
  },
  {
    name: 'mistral: cut off by the token limit',
    answers: [mistral({ text: 'Six me', usage: [14, 2], finish: 'length' })],
    call: async (t) => await said(t.chatMistral({ maxTokens: 2 }), t),
    reads: { run: 'ChatMistralAI', inputs: asked, outputs: [['assistant', 'Six me']], finish: 'length' },
  },
  {
    name: 'ollama: text and usage',
    streams: BOTH,
    answers: [ollama({ text: 'Six metres.', usage: [26, 7] })],
    call: async (t) => await said(t.chatOllama(), t),
    reads: {
      run: 'ChatOllama',
      inputs: asked,
      outputs: [['assistant', 'Six metres.']],
      usage: { input: 26, output: 7, total: 33 },
      finish: 'stop',
    },
  },
  {
    name: 'ollama: thinking and a tool call',
    streams: BOTH,
    answers: [ollama({ thinking: 'The place matters.', calls: [['tide_at', { place: 'Brest' }]], usage: [120, 40] })],
    call: async (t) => await said(t.chatOllama({ think: true }).bindTools([t.tideTool()]), t),
    reads: {
      run: 'ChatOllama',
      inputs: asked,
      outputs: [['assistant', { reasoning: 'The place matters.' }, { call: 'tide_at', args: { place: 'Brest' } }]],
      usage: { input: 120, output: 40, total: 160 },
      finish: 'stop',
    },
  },
  {
    name: 'moderation: a flagged text',
    answers: [moderation],
    call: async (t) => {
      const { traceable } = t.load('langsmith/traceable')
      const client = t.openai()
      const check = traceable((body) => client.moderations.create(body), { name: 'moderation', run_type: 'tool' })
      await check({ model: 'omni-moderation-latest', input: 'I will sink the harbour.' })
    },
    reads: { run: 'moderation', says: ['I will sink the harbour.', '"violence":0.97', '"flagged":true'] },
  },
  {
    name: 'chat: a stream that the caller gives up',
    answers: [{ ...chat({ text: LONG }), stallAfter: 4 }],
    isFailing: true,
    call: async (t) => {
      const control = new AbortController()
      const body = { model: 'gpt-5-mini', stream: true, messages: [{ role: 'user', content: QUESTION }] }
      await abandon(t.openai().chat.completions.create(body, { signal: control.signal }), control)
      throw new Error('The caller gave up')
    },
    reads: { run: 'ChatOpenAI', inputs: asked, outputs: [['assistant', 'The tide in Brest is six']] },
  },
  {
    name: 'langchain: a stream that the caller gives up',
    answers: [{ ...chat({ text: LONG }), stallAfter: 4 }],
    isFailing: true,
    call: async (t) => {
      const control = new AbortController()
      const model = t.chatOpenAI({ model: 'gpt-5-mini' })
      await abandon(model.stream(QUESTION, { signal: control.signal }), control)
    },
    // The package never logs the end of such a run.
    reads: { run: 'ChatOpenAI', inputs: asked, status: 'pending' },
  },
  {
    // The package tells a time-out of a stream as an abort.
    name: 'langchain: a time-out in the middle of a stream',
    answers: [{ ...chat({ text: LONG }), stallAfter: 4 }],
    isFailing: true,
    call: async (t) => {
      const model = t.chatOpenAI({ model: 'gpt-5-mini' })
      await t.drain(model.stream(QUESTION, { timeout: 400 }))
    },
    reads: { run: 'ChatOpenAI', inputs: asked, error: 'AbortError', status: 'cancelled' },
  },
]
