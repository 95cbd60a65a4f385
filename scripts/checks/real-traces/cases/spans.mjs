import { chat, chatUsage, embedding } from '../answers/chat.mjs'

// OpenTelemetry: spans by the instrumentation of OpenLLMetry and OpenInference, and by the AI SDK's own telemetry. What is
// expected follows the conventions for GenAI spans, and those of OpenInference: messages and tool calls in and out, the
// model, tokens and the reasons of the end.

const QUESTION = 'How high is the tide?'
const asked = [['user', QUESTION]]
/** @type {[string, string, object][]} */
const CALLS = [['call_1', 'tide_at', { place: 'Brest' }]]
const TOOL = {
  type: 'function',
  function: { name: 'tide_at', description: 'The tide at a place', parameters: { type: 'object', properties: {} } },
}
const conversation = [
  { role: 'system', content: 'Be brief.' },
  { role: 'user', content: QUESTION },
  {
    role: 'assistant',
    content: null,
    tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'tide_at', arguments: '{"place":"Brest"}' } }],
  },
  { role: 'tool', tool_call_id: 'call_1', content: 'Six metres at noon' },
]
const complete = (asked) => async (openai) =>
  await openai.chat.completions.create({
    model: 'gpt-5-mini',
    messages: [{ role: 'user', content: QUESTION }],
    ...asked,
  })

/** The same calls by two instrumentations of the OpenAI SDK. */
const openaiCases = (name, run, instrumented) => [
  {
    name: `${name}: a tool call`,
    answers: [chat({ calls: CALLS, usage: chatUsage(40, 12) })],
    call: async (t) => await instrumented(t, complete({ tools: [TOOL] })),
    reads: {
      run,
      type: 'llm',
      inputs: asked,
      outputs: [['assistant', { call: 'tide_at', args: { place: 'Brest' } }]],
      usage: { input: 40, output: 12, total: 52 },
      finish: 'tool_calls',
    },
  },
  {
    name: `${name}: a conversation with the result of a tool`,
    answers: [chat({ text: 'Six metres in Brest.', usage: chatUsage(80, 9) })],
    call: async (t) => await instrumented(t, complete({ messages: conversation })),
    reads: {
      run,
      type: 'llm',
      inputs: [
        ['system', 'Be brief.'],
        ...asked,
        ['assistant', { call: 'tide_at', id: 'call_1', args: { place: 'Brest' } }],
        ['tool', 'Six metres at noon'],
      ],
      outputs: [['assistant', 'Six metres in Brest.']],
      results: { call_1: ['success', 'Six metres at noon'] },
      usage: { input: 80, output: 9, total: 89 },
      finish: 'stop',
    },
  },
]

export const cases = [
  ...openaiCases('openllmetry', 'chat|openai', (t, use) => t.openllmetry(use)),
  ...openaiCases('openinference', 'OpenAI Chat Completions', (t, use) => t.openinference(use)),
  {
    name: 'openinference: embeddings',
    answers: [embedding([[0.1, 0.2, 0.3]])],
    call: async (t) =>
      await t.openinference((openai) => openai.embeddings.create({ model: 'text-embedding-3-small', input: QUESTION })),
    lost: { why: 'The instrumentation logs no tokens of embeddings.', tokens: [6, 0] },
    reads: { run: 'OpenAI Embeddings', type: 'embedding', says: [QUESTION], vectors: [3] },
  },
  {
    name: 'ai sdk spans: a tool that answers and one that fails',
    answers: [
      chat({
        calls: [
          ['call_1', 'tide_at', { place: 'Brest' }],
          ['call_2', 'tide_at', { place: 'Atlantis' }],
        ],
      }),
      chat({ text: 'Six metres in Brest.', usage: chatUsage(60, 9), id: 'chatcmpl-BxY2' }),
    ],
    call: async (t) => {
      const { generateText, stepCountIs } = t.load('ai')
      await t.traced(
        async (tracer) =>
          await generateText({
            model: t.sdkOpenai().chat('gpt-5-mini'),
            prompt: QUESTION,
            tools: { tide_at: t.sdkTool() },
            stopWhen: stepCountIs(2),
            experimental_telemetry: { isEnabled: true, tracer },
          }),
      )
    },
    reads: [
      {
        run: 'gpt-5-mini|doGenerate',
        type: 'llm',
        inputs: asked,
        outputs: [
          [
            'assistant',
            { call: 'tide_at', id: 'call_1', args: { place: 'Brest' } },
            { call: 'tide_at', id: 'call_2', args: { place: 'Atlantis' } },
          ],
        ],
        usage: { input: 20, output: 8 },
        finish: 'tool_calls',
      },
      {
        run: 'gpt-5-mini|doGenerate',
        type: 'llm',
        nth: 1,
        outputs: [['assistant', 'Six metres in Brest.']],
        results: { call_1: ['success', 'six metres'], call_2: ['error', 'No such place: Atlantis'] },
        usage: { input: 60, output: 9 },
        finish: 'stop',
      },
      { run: 'tide_at', type: 'tool', says: ['Atlantis'], error: 'No such place: Atlantis', status: 'error' },
      { run: 'tide_at', type: 'tool', says: ['Brest', 'six metres'] },
    ],
  },
]
