import { message } from '../answers/anthropic.mjs'
import { chat, chatUsage } from '../answers/chat.mjs'
import { gemini, geminiUsage } from '../answers/gemini.mjs'
import { response } from '../answers/responses.mjs'
import { anthropicBlocks, anthropicReads } from './anthropic.mjs'
import { PAGE, PIXEL } from './media.mjs'
import { CITED, SEARCH } from './openai-responses.mjs'

// The AI SDK with the tracing SDK's wrapper. What is expected follows its reference of content parts.

const QUESTION = 'How high is the tide?'
const asked = [['user', QUESTION]]
const BOTH = [false, true]
const generate = (options) => async (t) => {
  const { generateText, streamText } = t.aiSdk()
  const given = typeof options === 'function' ? options(t) : options
  const params = { prompt: QUESTION, ...given }
  if (!t.stream) return await generateText(params)
  const result = streamText(params)
  for await (const _ of result.textStream);
  return await result.text
}

export const cases = [
  {
    name: 'ai sdk: text and usage',
    streams: BOTH,
    answers: [chat({ text: 'Six metres.', usage: chatUsage(50, 30, { cached: 16, reasoning: 20 }) })],
    call: generate((t) => ({ model: t.sdkOpenai().chat('gpt-5-mini'), system: 'Be brief.' })),
    reads: {
      run: '^(openai|anthropic|google)\\.',
      type: 'llm',
      inputs: [['system', 'Be brief.'], ...asked],
      outputs: [['assistant', 'Six metres.']],
      usage: { input: 50, output: 30, total: 80, cache_read: 16, reasoning: 20 },
      finish: 'stop',
    },
  },
  {
    name: 'ai sdk: a tool that answers and one that fails',
    streams: BOTH,
    answers: [
      chat({
        calls: [
          ['call_1', 'tide_at', { place: 'Brest' }],
          ['call_2', 'tide_at', { place: 'Atlantis' }],
        ],
      }),
      chat({ text: 'Six metres in Brest.' }),
    ],
    call: generate((t) => ({
      model: t.sdkOpenai().chat('gpt-5-mini'),
      tools: { tide_at: t.sdkTool() },
      stopWhen: t.load('ai').stepCountIs(2),
    })),
    reads: {
      run: '^(openai|anthropic|google)\\.',
      type: 'llm',
      nth: 1,
      inputs: [
        ...asked,
        [
          'assistant',
          { call: 'tide_at', id: 'call_1', args: { place: 'Brest' } },
          { call: 'tide_at', id: 'call_2', args: { place: 'Atlantis' } },
        ],
        [
          'tool',
          { result: 'call_1', status: 'success', says: 'six metres' },
          { result: 'call_2', status: 'error', says: 'No such place: Atlantis' },
        ],
      ],
      outputs: [['assistant', 'Six metres in Brest.']],
      results: { call_1: ['success', 'six metres'], call_2: ['error', 'No such place: Atlantis'] },
      finish: 'stop',
    },
  },
  {
    name: 'ai sdk: the provider searches, with sources (anthropic)',
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
    call: generate((t) => ({
      model: t.sdkAnthropic()('claude-sonnet-4-5'),
      tools: { web_search: t.sdkAnthropic().tools.webSearch_20250305({ maxUses: 1 }) },
    })),
    reads: {
      run: '^(openai|anthropic|google)\\.',
      type: 'llm',
      inputs: asked,
      outputs: [
        [
          'assistant',
          'Let me search.',
          { call: 'web_search', id: 'srvtoolu_1', args: { query: 'tide in Brest' } },
          {
            result: 'srvtoolu_1',
            status: 'success',
            blocks: [{ source: 'https://sea.example.com/brest', title: 'Tides of Brest' }],
          },
          { source: 'https://sea.example.com/brest', title: 'Tides of Brest' },
          anthropicReads.cited.text,
          { source: 'https://sea.example.com/brest', title: 'Tides of Brest' },
        ],
      ],
      finish: 'stop',
    },
    lostInStream: {
      why: 'The wrapper joins the texts of a stream and drops results and sources.',
      outputs: [
        [
          'assistant',
          `Let me search.${anthropicReads.cited.text}`,
          { call: 'web_search', id: 'srvtoolu_1', args: { query: 'tide in Brest' } },
        ],
      ],
    },
  },
  {
    name: 'ai sdk: the provider searches, with sources (openai)',
    answers: [response({ output: [SEARCH, CITED] })],
    call: generate((t) => ({
      model: t.sdkOpenai().responses('gpt-5'),
      tools: { web_search: t.sdkOpenai().tools.webSearch({}) },
    })),
    reads: {
      run: '^(openai|anthropic|google)\\.',
      type: 'llm',
      inputs: asked,
      outputs: [
        [
          'assistant',
          { call: 'web_search', id: 'ws_1', args: {} },
          { result: 'ws_1', status: 'success', says: 'news about tides' },
          'Tides are higher this year.',
          { source: 'https://sea.example.com/tides', title: 'Tides' },
        ],
      ],
      finish: 'stop',
    },
  },
  {
    name: 'ai sdk: thoughts and a picture of Gemini',
    streams: BOTH,
    answers: [
      gemini({
        parts: [
          { text: 'The moon matters.', thought: true },
          { text: 'Here it is.' },
          { inlineData: { mimeType: 'image/png', data: PIXEL } },
        ],
        usage: geminiUsage(100, 5, { thoughts: 40 }),
      }),
    ],
    call: generate((t) => ({ model: t.sdkGoogle()('gemini-2.5-flash-image') })),
    reads: {
      run: '^(openai|anthropic|google)\\.',
      type: 'llm',
      inputs: asked,
      outputs: [['assistant', { reasoning: 'The moon matters.' }, 'Here it is.', { image: 'image/png' }]],
      usage: { input: 100, output: 45, total: 145, reasoning: 40 },
      finish: 'stop',
    },
    lostInStream: {
      why: 'The wrapper drops the files of a stream.',
      outputs: [['assistant', { reasoning: 'The moon matters.' }, 'Here it is.']],
    },
  },
  {
    name: 'ai sdk: picture and file in',
    answers: [chat({ text: 'A pixel and an empty page.' })],
    call: generate((t) => ({
      model: t.sdkOpenai().chat('gpt-5-mini'),
      prompt: undefined,
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'What are these?' },
            { type: 'image', image: Buffer.from(PIXEL, 'base64'), mediaType: 'image/png' },
            { type: 'file', data: Buffer.from(PAGE, 'base64'), mediaType: 'application/pdf', filename: 'terms.pdf' },
          ],
        },
      ],
    })),
    reads: {
      run: '^(openai|anthropic|google)\\.',
      type: 'llm',
      inputs: [['user', 'What are these?', { image: 'image/png' }, { file: 'application/pdf', name: 'terms.pdf' }]],
      outputs: [['assistant', 'A pixel and an empty page.']],
      finish: 'stop',
    },
  },
  {
    name: 'ai sdk: structured output',
    answers: [chat({ text: '{"place":"Brest","metres":6}' })],
    call: async (t) =>
      await t.aiSdk().generateObject({
        model: t.sdkOpenai().chat('gpt-5-mini'),
        prompt: QUESTION,
        schema: t.load('zod').z.object({ place: t.load('zod').z.string(), metres: t.load('zod').z.number() }),
      }),
    reads: {
      run: '^(openai|anthropic|google)\\.',
      type: 'llm',
      inputs: asked,
      outputs: [['assistant', '{"place":"Brest","metres":6}']],
      finish: 'stop',
    },
  },
]
