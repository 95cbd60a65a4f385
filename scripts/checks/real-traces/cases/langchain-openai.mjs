import { chat, chatUsage, embedding } from '../answers/chat.mjs'
import { messageItem, response, responseUsage } from '../answers/responses.mjs'
import { SOUND } from './media.mjs'
import { CITED, CODE, FILES, MCP, MCP_TOOLS, PICTURE, READ, SEARCH } from './openai-responses.mjs'

// LangChain's chat model over chat completions and Responses. The same answers as by the wrapper read the same.

const QUESTION = 'What is new about tides?'
const asked = [['user', QUESTION]]
const BOTH = [false, true]
const run = 'ChatOpenAI'
const invoke =
  (options = {}, given = QUESTION) =>
  async ({ chatOpenAI, stream, drain }) => {
    const model = chatOpenAI({ model: 'gpt-5-mini', ...options })
    return stream ? await drain(model.stream(given)) : await model.invoke(given)
  }

export const cases = [
  {
    name: 'langchain openai: text and usage',
    streams: BOTH,
    answers: [chat({ text: 'They rise twice a day.', usage: chatUsage(50, 30, { cached: 16, reasoning: 20 }) })],
    call: invoke(),
    reads: {
      run,
      inputs: asked,
      outputs: [['assistant', 'They rise twice a day.']],
      usage: { input: 50, output: 30, total: 80, cache_read: 16, reasoning: 20 },
      finish: 'stop',
    },
  },
  {
    name: 'langchain openai: tool calls',
    streams: BOTH,
    answers: [
      chat({
        calls: [
          ['call_1', 'tide_at', { place: 'Brest' }],
          ['call_2', 'tide_at', { place: 'Nantes' }],
        ],
      }),
    ],
    call: async ({ chatOpenAI, tideTool, stream, drain }) => {
      const model = chatOpenAI({ model: 'gpt-5-mini' }).bindTools([tideTool()])
      return stream ? await drain(model.stream(QUESTION)) : await model.invoke(QUESTION)
    },
    reads: {
      run,
      inputs: asked,
      outputs: [
        [
          'assistant',
          { call: 'tide_at', id: 'call_1', args: { place: 'Brest' } },
          { call: 'tide_at', id: 'call_2', args: { place: 'Nantes' } },
        ],
      ],
      finish: 'tool_calls',
    },
  },
  {
    name: 'langchain openai: refusal of chat completions',
    streams: BOTH,
    answers: [chat({ refusal: 'I cannot help with piracy.' })],
    call: invoke(),
    // The package drops the refusal.
    reads: { run, inputs: asked, outputs: [['assistant']], finish: 'stop' },
  },
  {
    name: 'langchain openai: sound out',
    answers: [
      chat({
        audio: { id: 'audio_1', data: SOUND, transcript: 'The sea is calm', expires_at: 1763903600 },
        model: 'gpt-audio',
      }),
    ],
    call: invoke({ model: 'gpt-audio', modalities: ['text', 'audio'], audio: { voice: 'alloy', format: 'wav' } }),
    reads: {
      run,
      inputs: asked,
      outputs: [['assistant', { audio: 'audio/wav', transcript: 'The sea is calm' }]],
      finish: 'stop',
    },
  },
  {
    name: 'langchain responses: every tool that the provider runs',
    streams: BOTH,
    answers: [response({ output: [MCP_TOOLS, SEARCH, FILES, CODE, MCP, PICTURE, CITED] })],
    call: invoke({ useResponsesApi: true }),
    reads: {
      run,
      inputs: asked,
      outputs: [['assistant', READ.mcpTools, READ.search, READ.files, READ.code, READ.mcp, READ.picture, READ.cited]],
      finish: 'stop',
    },
  },
  {
    name: 'langchain responses: every tool, as standard content blocks',
    answers: [response({ output: [SEARCH, CODE, MCP, CITED] })],
    call: invoke({ useResponsesApi: true, outputVersion: 'v1' }),
    reads: {
      run,
      inputs: asked,
      outputs: [['assistant', READ.search, READ.code, READ.mcp, READ.cited]],
      finish: 'stop',
    },
  },
  {
    name: 'langchain responses: reasoning summary',
    streams: BOTH,
    answers: [
      response({
        output: [
          {
            id: 'rs_1',
            type: 'reasoning',
            summary: [{ type: 'summary_text', text: 'I recall the tables of last year.' }],
          },
          messageItem('Nothing much.'),
        ],
        usage: responseUsage(30, 90, { reasoning: 64 }),
      }),
    ],
    call: invoke({ useResponsesApi: true, reasoning: { effort: 'low', summary: 'auto' } }),
    reads: {
      run,
      inputs: asked,
      outputs: [['assistant', { reasoning: 'I recall the tables of last year.' }, 'Nothing much.']],
      usage: { input: 30, output: 90, total: 120, reasoning: 64 },
      finish: 'stop',
    },
  },
  {
    name: 'langchain responses: refusal',
    streams: BOTH,
    answers: [
      response({
        output: [{ ...messageItem(''), content: [{ type: 'refusal', refusal: 'I cannot help with smuggling.' }] }],
      }),
    ],
    call: invoke({ useResponsesApi: true }),
    reads: {
      run,
      inputs: asked,
      outputs: [['assistant', { refusal: 'I cannot help with smuggling.' }]],
      finish: 'refusal',
    },
  },
  {
    name: 'langchain: standard content blocks as input',
    answers: [chat({ text: 'A pixel.' })],
    call: async ({ chatOpenAI, load }) => {
      const { HumanMessage } = load('@langchain/core/messages')
      const { PIXEL, PAGE } = await import('./media.mjs')
      return await chatOpenAI({ model: 'gpt-5-mini' }).invoke([
        new HumanMessage({
          contentBlocks: [
            { type: 'text', text: 'What is this?' },
            { type: 'image', mimeType: 'image/png', data: PIXEL },
            { type: 'file', mimeType: 'application/pdf', data: PAGE, metadata: { filename: 'terms.pdf' } },
            { type: 'image', url: 'https://pictures.example.com/a.png' },
          ],
        }),
      ])
    },
    reads: {
      run,
      inputs: [
        [
          'user',
          'What is this?',
          { image: 'image/png' },
          { file: 'application/pdf', name: 'terms.pdf' },
          { image: 'https://pictures.example.com/a.png' },
        ],
      ],
      outputs: [['assistant', 'A pixel.']],
      finish: 'stop',
    },
  },
  {
    name: 'langchain: a prompt template',
    answers: [chat({ text: 'Twice a day.' })],
    call: async ({ chatOpenAI, load }) => {
      const { ChatPromptTemplate } = load('@langchain/core/prompts')
      const prompt = ChatPromptTemplate.fromMessages([
        ['system', 'You know {topic}.'],
        ['human', '{question}'],
      ])
      const chain = prompt.pipe(chatOpenAI({ model: 'gpt-5-mini' }))
      return await chain.invoke({ topic: 'the sea', question: QUESTION })
    },
    reads: {
      run: 'ChatPromptTemplate',
      outputs: [
        ['system', 'You know the sea.'],
        ['user', QUESTION],
      ],
    },
  },
  {
    name: 'langchain: structured output',
    answers: [chat({ calls: [['call_s', 'Weather', { city: 'Paris', degrees: 21 }]] })],
    call: async ({ chatOpenAI }) =>
      await chatOpenAI({ model: 'gpt-5-mini' })
        .withStructuredOutput(
          {
            type: 'object',
            title: 'Weather',
            properties: { city: { type: 'string' }, degrees: { type: 'number' } },
            required: ['city', 'degrees'],
          },
          // The schema's own title becomes the name of the tool.
          { method: 'functionCalling' },
        )
        .invoke('Sunny and 21 degrees in Paris'),
    reads: [
      {
        run,
        inputs: [['user', 'Sunny and 21 degrees in Paris']],
        outputs: [['assistant', { call: 'Weather', id: 'call_s', args: { city: 'Paris', degrees: 21 } }]],
        finish: 'tool_calls',
      },
      { run: 'RunnableSequence', says: ['"city":"Paris"', '"degrees":21'] },
    ],
  },
  {
    name: 'langchain: a retriever',
    answers: [],
    call: async ({ load }) => {
      const { BaseRetriever } = load('@langchain/core/retrievers')
      const { Document } = load('@langchain/core/documents')
      class Tides extends BaseRetriever {
        lc_namespace = ['corpus']
        async _getRelevantDocuments() {
          return [
            new Document({
              pageContent: 'High tide is at noon in Brest.',
              metadata: { source: 'tides.md', score: 0.91 },
            }),
            new Document({ pageContent: 'Low tide is at six.', metadata: { source: 'tides.md', score: 0.42 } }),
          ]
        }
      }
      return await new Tides().invoke('When is high tide?')
    },
    reads: {
      run: 'Tides',
      documents: [
        ['High tide is at noon in Brest.', 'tides.md', 0.91],
        ['Low tide is at six.', 'tides.md', 0.42],
      ],
    },
  },
  {
    name: 'embeddings',
    answers: [
      embedding([
        [0.12, -0.5, 0.25],
        [0.5, 0.25, -0.125],
      ]),
    ],
    call: async ({ load, openai }) => {
      const { traceable } = load('langsmith/traceable')
      const params = { model: 'text-embedding-3-small', input: ['high tide', 'low tide'], encoding_format: 'float' }
      const embed = traceable((given) => openai().embeddings.create(given), { name: 'embed', run_type: 'embedding' })
      return await embed(params)
    },
    reads: { run: 'embed', vectors: [3, 3] },
  },
]
