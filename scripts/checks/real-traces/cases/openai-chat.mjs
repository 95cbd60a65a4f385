import { chat, chatUsage, openaiError } from '../answers/chat.mjs'
import { PAGE, PIXEL, SOUND } from './media.mjs'

// Chat completions by the wrapper. What is expected follows the provider's API reference: `message.content`, `.refusal`,
// `.audio`, `.tool_calls`, `finish_reason` and `usage`.

const MODEL = 'gpt-5-mini'
const QUESTION = 'What is the weather in Paris?'
const WEATHER = {
  type: 'function',
  function: {
    name: 'get_weather',
    description: 'The weather of a city',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
}

/** @param {Record<string, any>} asked */
const ask =
  (asked) =>
  async ({ openai, stream, drain }) => {
    const params = { model: MODEL, messages: [{ role: 'user', content: QUESTION }], ...asked }
    if (!stream) return await openai().chat.completions.create(params)
    return await drain(
      openai().chat.completions.create({ ...params, stream: true, stream_options: { include_usage: true } }),
    )
  }
const run = 'ChatOpenAI'
const asked = [['user', QUESTION]]
const BOTH = [false, true]

export const cases = [
  {
    name: 'chat: text, cached input and settings',
    streams: BOTH,
    answers: [chat({ text: 'It is sunny in Paris.', usage: chatUsage(1200, 60, { cached: 1024, reasoning: 48 }) })],
    call: ask({
      temperature: 0.2,
      messages: [
        { role: 'developer', content: 'Answer in one sentence.' },
        { role: 'user', content: QUESTION },
      ],
    }),
    reads: {
      run,
      inputs: [['system', 'Answer in one sentence.'], ...asked],
      outputs: [['assistant', 'It is sunny in Paris.']],
      usage: { input: 1200, output: 60, total: 1260, cache_read: 1024, reasoning: 48 },
      finish: 'stop',
    },
  },
  {
    name: 'chat: parallel tool calls',
    streams: BOTH,
    answers: [
      chat({
        calls: [
          ['call_p1', 'get_weather', { city: 'Paris' }],
          ['call_p2', 'get_weather', { city: 'Lyon' }],
        ],
      }),
    ],
    call: ask({ tools: [WEATHER] }),
    lostInStream: {
      why: 'The wrapper joins parallel calls of a stream into one: names and arguments one after the other.',
      outputs: [
        ['assistant', { call: 'get_weatherget_weather', id: 'call_p1', rawArgs: '{"city":"Paris"}{"city":"Lyon"}' }],
      ],
    },
    reads: {
      run,
      inputs: asked,
      outputs: [
        [
          'assistant',
          { call: 'get_weather', id: 'call_p1', args: { city: 'Paris' } },
          { call: 'get_weather', id: 'call_p2', args: { city: 'Lyon' } },
        ],
      ],
      usage: { input: 20, output: 8, total: 28 },
      finish: 'tool_calls',
    },
  },
  {
    name: 'chat: tool results in the conversation',
    answers: [chat({ text: 'Paris is sunny, and Lyon did not respond.' })],
    call: ask({
      messages: [
        { role: 'user', content: QUESTION },
        {
          role: 'assistant',
          content: null,
          tool_calls: [
            { id: 'call_p1', type: 'function', function: { name: 'get_weather', arguments: '{"city":"Paris"}' } },
          ],
        },
        { role: 'tool', tool_call_id: 'call_p1', content: 'Sunny with 21 degrees' },
      ],
    }),
    reads: {
      run,
      inputs: [
        ['user', QUESTION],
        ['assistant', { call: 'get_weather', id: 'call_p1', args: { city: 'Paris' } }],
        ['tool', 'Sunny with 21 degrees'],
      ],
      outputs: [['assistant', 'Paris is sunny, and Lyon did not respond.']],
      results: { call_p1: ['success', 'Sunny with 21 degrees'] },
      finish: 'stop',
    },
  },
  {
    name: 'chat: refusal',
    streams: BOTH,
    answers: [chat({ refusal: 'I cannot help with picking locks.' })],
    call: ask({}),
    lostInStream: { why: 'The wrapper drops the refusal of a stream.', outputs: [['assistant']], finish: 'stop' },
    reads: {
      run,
      inputs: asked,
      outputs: [['assistant', { refusal: 'I cannot help with picking locks.' }]],
      finish: 'refusal',
    },
  },
  {
    name: 'chat: stopped by the content filter without a word',
    answers: [chat({ text: '', finish: 'content_filter', usage: chatUsage(20, 0) })],
    call: ask({}),
    reads: { run, inputs: asked, outputs: [['assistant']], finish: 'content_filter' },
  },
  {
    name: 'chat: all output tokens went into reasoning',
    answers: [chat({ text: '', finish: 'length', usage: chatUsage(20, 64, { reasoning: 64 }) })],
    call: ask({ max_completion_tokens: 64 }),
    reads: {
      run,
      inputs: asked,
      outputs: [['assistant']],
      usage: { input: 20, output: 64, total: 84, reasoning: 64 },
      finish: 'length',
    },
  },
  {
    name: 'chat: reasoning text of a compatible server',
    streams: BOTH,
    answers: [chat({ reasoning: 'The user wants the weather.', text: 'It is sunny.', model: 'deepseek-reasoner' })],
    call: ask({ model: 'deepseek-reasoner' }),
    lostInStream: { why: 'The wrapper drops the reasoning of a stream.', outputs: [['assistant', 'It is sunny.']] },
    reads: {
      run,
      inputs: asked,
      outputs: [['assistant', { reasoning: 'The user wants the weather.' }, 'It is sunny.']],
      finish: 'stop',
    },
  },
  {
    name: 'chat: picture, sound and file in, sound out',
    answers: [
      chat({
        audio: { id: 'audio_1', data: SOUND, transcript: 'A single grey pixel', expires_at: 1763903600 },
        usage: chatUsage(300, 40, { audioIn: 120, audioOut: 30 }),
      }),
    ],
    call: ask({
      model: 'gpt-audio',
      modalities: ['text', 'audio'],
      audio: { voice: 'alloy', format: 'wav' },
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'What do these show?' },
            { type: 'image_url', image_url: { url: `data:image/png;base64,${PIXEL}` } },
            { type: 'image_url', image_url: { url: 'https://pictures.example.com/a.png', detail: 'low' } },
            { type: 'input_audio', input_audio: { data: SOUND, format: 'wav' } },
            { type: 'file', file: { filename: 'terms.pdf', file_data: `data:application/pdf;base64,${PAGE}` } },
          ],
        },
      ],
    }),
    reads: {
      run,
      inputs: [
        [
          'user',
          'What do these show?',
          { image: 'image/png' },
          { image: 'https://pictures.example.com/a.png' },
          { audio: 'audio/wav' },
          { file: 'application/pdf', name: 'terms.pdf' },
        ],
      ],
      outputs: [['assistant', { audio: 'audio/wav', transcript: 'A single grey pixel' }]],
      usage: { input: 300, output: 40, total: 340, audio_in: 120, audio_out: 30 },
      finish: 'stop',
    },
  },
  {
    name: 'chat: web search with sources',
    streams: BOTH,
    answers: [
      chat({
        text: 'It rains in Brest.',
        model: 'gpt-5-search-api',
        annotations: [
          {
            type: 'url_citation',
            url_citation: {
              start_index: 0,
              end_index: 18,
              url: 'https://weather.example.com/brest',
              title: 'Brest today',
            },
          },
        ],
      }),
    ],
    call: ask({ model: 'gpt-5-search-api' }),
    lostInStream: {
      why: 'The wrapper drops the annotations of a stream.',
      outputs: [['assistant', 'It rains in Brest.']],
    },
    reads: {
      run,
      inputs: asked,
      outputs: [
        [
          'assistant',
          {
            text: 'It rains in Brest.',
            cites: [['https://weather.example.com/brest', 'Brest today', 'It rains in Brest.']],
          },
        ],
      ],
      finish: 'stop',
    },
  },
  {
    name: 'chat: structured output',
    answers: [chat({ text: '{"city":"Paris","degrees":21}' })],
    call: ask({
      response_format: {
        type: 'json_schema',
        json_schema: {
          name: 'weather',
          strict: true,
          schema: { type: 'object', properties: { city: { type: 'string' }, degrees: { type: 'number' } } },
        },
      },
    }),
    reads: { run, inputs: asked, outputs: [['assistant', '{"city":"Paris","degrees":21}']], finish: 'stop' },
  },
  {
    name: 'chat: an error',
    answers: [openaiError(400, 'context_length_exceeded', 'This model has a context of 128 tokens.')],
    isFailing: true,
    call: ask({}),
    reads: { run, inputs: asked, outputs: undefined, error: 'This model has a context of 128 tokens.' },
  },
  {
    name: 'chat: a stream that breaks off',
    streams: [true],
    answers: [chat({ text: 'It is sunny in Paris and the rest never came.', cutAfter: 3 })],
    isFailing: true,
    call: ask({}),
    reads: { run, inputs: asked, outputs: [['assistant', 'It is sunny in Paris and']], error: 'terminated' },
  },
]
