import { gemini, geminiUsage } from '../answers/gemini.mjs'
import { PIXEL } from './media.mjs'

// The Gemini API by the wrapper. What is expected follows the provider's reference: a part with `thought` is a summary of
// the reasoning; the total counts the thoughts, which are billed as output.

const QUESTION = 'What is six times seven?'
const ask =
  (asked) =>
  async ({ google, stream, drain }) => {
    const params = { model: 'gemini-2.5-flash', contents: QUESTION, ...asked }
    if (!stream) return await google().models.generateContent(params)
    return await drain(google().models.generateContentStream(params))
  }
const run = 'ChatGoogleGenerativeAI'
const asked = [['user', QUESTION]]
const BOTH = [false, true]

export const cases = [
  {
    name: 'gemini: system instruction, thoughts, cached input',
    streams: BOTH,
    answers: [
      gemini({
        parts: [{ text: 'Six times seven is a known product.', thought: true }, { text: 'Forty-two.' }],
        usage: geminiUsage(100, 5, { thoughts: 40, cached: 60 }),
      }),
    ],
    call: ask({
      config: { systemInstruction: 'Answer in words.', temperature: 0.1, thinkingConfig: { includeThoughts: true } },
    }),
    reads: {
      run,
      inputs: [['system', 'Answer in words.'], ...asked],
      outputs: [['assistant', { reasoning: 'Six times seven is a known product.' }, 'Forty-two.']],
      usage: { input: 100, output: 45, total: 145, cache_read: 60, reasoning: 40 },
      finish: 'stop',
    },
  },
  {
    name: 'gemini: function call',
    streams: BOTH,
    answers: [gemini({ parts: [{ functionCall: { name: 'multiply', args: { a: 6, b: 7 } } }] })],
    call: ask({
      config: {
        tools: [
          {
            functionDeclarations: [
              {
                name: 'multiply',
                description: 'Multiplies two numbers',
                parameters: { type: 'OBJECT', properties: { a: { type: 'NUMBER' }, b: { type: 'NUMBER' } } },
              },
            ],
          },
        ],
      },
    }),
    reads: { run, inputs: asked, outputs: [['assistant', { call: 'multiply', args: { a: 6, b: 7 } }]], finish: 'stop' },
  },
  {
    name: 'gemini: function response and picture in the conversation',
    answers: [gemini({ parts: [{ text: 'Forty-two, said the tool.' }] })],
    call: ask({
      contents: [
        { role: 'user', parts: [{ text: QUESTION }, { inlineData: { mimeType: 'image/png', data: PIXEL } }] },
        { role: 'model', parts: [{ functionCall: { name: 'multiply', args: { a: 6, b: 7 } } }] },
        {
          role: 'user',
          parts: [{ functionResponse: { name: 'multiply', response: { output: 'forty-two by the book' } } }],
        },
      ],
    }),
    reads: {
      run,
      inputs: [
        ['user', QUESTION, { image: 'image/png' }],
        // The wrapper drops the calls of earlier answers.
        ['assistant'],
        ['user', { result: undefined, status: 'success', says: 'forty-two by the book' }],
      ],
      outputs: [['assistant', 'Forty-two, said the tool.']],
      finish: 'stop',
    },
  },
  {
    name: 'gemini: code that the provider ran, and a picture',
    streams: BOTH,
    lost: { why: 'The wrapper joins the texts of an answer before its other parts.' },
    answers: [
      gemini({
        parts: [
          { text: 'I compute it.' },
          { executableCode: { language: 'PYTHON', code: 'print(6 * 7)' } },
          { codeExecutionResult: { outcome: 'OUTCOME_OK', output: 'forty-two printed' } },
          { inlineData: { mimeType: 'image/png', data: PIXEL } },
          { text: 'Done.' },
        ],
      }),
    ],
    call: ask({ config: { tools: [{ codeExecution: {} }] } }),
    reads: {
      run,
      inputs: asked,
      outputs: [
        [
          'assistant',
          // The wrapper joins all texts and puts them first.
          'I compute it.Done.',
          {
            server: 'code_execution',
            args: { language: 'PYTHON', code: 'print(6 * 7)' },
            status: 'success',
            result: ['forty-two printed'],
          },
          { image: 'image/png' },
        ],
      ],
      finish: 'stop',
    },
  },
  {
    name: 'gemini: blocked by its safety filter',
    answers: [gemini({ parts: [], finish: 'SAFETY', usage: geminiUsage(15, 0) })],
    call: ask({}),
    reads: { run, inputs: asked, outputs: [['assistant']], finish: 'content_filter' },
  },
]
