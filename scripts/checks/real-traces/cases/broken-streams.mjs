import { message } from '../answers/anthropic.mjs'
import { chat } from '../answers/chat.mjs'
import { gemini } from '../answers/gemini.mjs'
import { messageItem, response } from '../answers/responses.mjs'

// Streams that fail in the middle: the provider sends an error, or nothing more until the caller's time is over. By the
// providers' documentation an error in a stream is an event of its own, after which nothing follows; what came before it
// was said.

const QUESTION = 'How high is the tide?'
const LONG = 'The tide in Brest is six metres high, and it turns at noon.'
const asked = [['user', QUESTION]]
const streams = [true]
const isFailing = true
const inTime = () => AbortSignal.timeout(400)

/** An answer whose stream ends with another event after `count` of its own. */
const failingAfter = (answer, count, event) => ({
  ...answer,
  events: [...answer.events.slice(0, count), event],
  done: undefined,
})
/** An answer whose stream stops, without an end, after `count` events. */
const stallingAfter = (answer, count) => ({ ...answer, stallAfter: count })

const CHAT_ERROR = {
  data: {
    error: { message: 'The server had an error while processing your request.', type: 'server_error', code: null },
  },
}
const OVERLOADED = {
  event: 'error',
  data: { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } },
}
const RESPONSE_ERROR = {
  event: 'error',
  data: { type: 'error', code: 'server_error', message: 'The model is overloaded.', param: null, sequence_number: 9 },
}
const UNAVAILABLE = { data: { error: { code: 503, message: 'The model is overloaded.', status: 'UNAVAILABLE' } } }

const chatBody = { model: 'gpt-5-mini', stream: true, messages: [{ role: 'user', content: QUESTION }] }
const messagesBody = {
  model: 'claude-sonnet-4-5',
  max_tokens: 200,
  stream: true,
  messages: [{ role: 'user', content: QUESTION }],
}
const said = (text) => [['assistant', text]]

export const cases = [
  {
    name: 'chat: an error in the middle of a stream',
    ...{ streams, isFailing },
    answers: [failingAfter(chat({ text: LONG }), 3, CHAT_ERROR)],
    call: async (t) => await t.drain(t.openai().chat.completions.create(chatBody)),
    reads: {
      run: 'ChatOpenAI',
      inputs: asked,
      outputs: said('The tide in Brest is six'),
      error: 'had an error',
      status: 'error',
    },
  },
  {
    name: 'chat: a time-out in the middle of a stream',
    // The package ends the stream and logs the run as completed.
    streams,
    answers: [stallingAfter(chat({ text: LONG }), 3)],
    call: async (t) => await t.drain(t.openai().chat.completions.create(chatBody, { signal: inTime() })),
    reads: { run: 'ChatOpenAI', inputs: asked, outputs: said('The tide in Brest is six'), finish: 'broken_off' },
  },
  {
    name: 'responses: an error in the middle of a stream',
    ...{ streams, isFailing },
    answers: [failingAfter(response({ output: [messageItem(LONG)] }), 6, RESPONSE_ERROR)],
    call: async (t) => await t.drain(t.openai().responses.create({ model: 'gpt-5', input: QUESTION, stream: true })),
    lost: { why: 'The wrapper keeps only the last event of a stream that fails.' },
    reads: {
      run: 'ChatOpenAI',
      inputs: asked,
      says: ['Brest is six'],
      finish: 'broken_off',
      error: 'overloaded',
      status: 'error',
    },
  },
  {
    name: 'responses: a time-out in the middle of a stream',
    streams,
    answers: [stallingAfter(response({ output: [messageItem(LONG)] }), 6)],
    call: async (t) => {
      const body = { model: 'gpt-5', input: QUESTION, stream: true }
      await t.drain(t.openai().responses.create(body, { signal: inTime() }))
    },
    lost: { why: 'The wrapper keeps only the last event of a stream that is given up.' },
    reads: { run: 'ChatOpenAI', inputs: asked, says: ['Brest is six'], finish: 'broken_off' },
  },
  {
    name: 'anthropic: an error in the middle of a stream',
    ...{ streams, isFailing },
    answers: [failingAfter(message({ content: [{ type: 'text', text: LONG }] }), 4, OVERLOADED)],
    call: async (t) => await t.drain(t.anthropic().messages.create(messagesBody)),
    reads: {
      run: 'ChatAnthropic',
      inputs: asked,
      outputs: said('The tide in Brest is six'),
      error: 'verloaded',
      status: 'error',
    },
  },
  {
    name: 'anthropic: a time-out in the middle of a stream',
    // The package ends the stream and logs the run as completed.
    streams,
    answers: [stallingAfter(message({ content: [{ type: 'text', text: LONG }] }), 4)],
    call: async (t) => await t.drain(t.anthropic().messages.create(messagesBody, { signal: inTime() })),
    reads: { run: 'ChatAnthropic', inputs: asked, outputs: said('The tide in Brest is six'), finish: 'broken_off' },
  },
  {
    name: 'gemini: an error in the middle of a stream',
    ...{ streams, isFailing },
    answers: [
      failingAfter(
        gemini({ parts: [{ text: 'The tide in Brest' }, { text: ' is six metres high.' }] }),
        1,
        UNAVAILABLE,
      ),
    ],
    call: async (t) =>
      await t.drain(t.google().models.generateContentStream({ model: 'gemini-2.5-flash', contents: QUESTION })),
    reads: {
      run: 'ChatGoogle',
      inputs: asked,
      outputs: said('The tide in Brest'),
      error: 'overloaded',
      status: 'error',
    },
  },
  {
    name: 'gemini: a time-out in the middle of a stream',
    ...{ streams, isFailing },
    answers: [stallingAfter(gemini({ parts: [{ text: 'The tide in Brest' }, { text: ' is six metres high.' }] }), 1)],
    call: async (t) => {
      const config = { abortSignal: inTime() }
      const body = { model: 'gemini-2.5-flash', contents: QUESTION, config }
      await t.drain(t.google().models.generateContentStream(body))
    },
    reads: { run: 'ChatGoogle', inputs: asked, outputs: said('The tide in Brest'), status: 'cancelled' },
  },
  {
    name: 'langchain: an error in the middle of a stream',
    ...{ streams, isFailing },
    answers: [failingAfter(message({ content: [{ type: 'text', text: LONG }] }), 4, OVERLOADED)],
    call: async (t) => await t.drain(t.chatAnthropic().stream(QUESTION)),
    lost: { why: 'The package drops what came before the error.', tokens: [25, 1] },
    reads: { run: 'ChatAnthropic', inputs: asked, error: 'verloaded', status: 'error' },
  },
  {
    name: 'ai sdk: a time-out in the middle of a stream',
    ...{ streams, isFailing },
    answers: [stallingAfter(chat({ text: LONG }), 3)],
    call: async (t) => {
      const { textStream } = t
        .aiSdk()
        .streamText({ model: t.sdkOpenai().chat('gpt-5-mini'), prompt: QUESTION, abortSignal: inTime(), maxRetries: 0 })
      await t.drain(textStream)
      throw new Error('The stream ended without its end')
    },
    lost: { why: 'The wrapper logs what the stream holds inside, and the end of the call never.' },
    reads: [
      { run: 'openai', type: 'chain', inputs: asked, says: ['TimeoutError'] },
      { run: 'openai', type: 'llm', inputs: asked, status: 'pending' },
    ],
  },
]
