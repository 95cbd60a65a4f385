import { chat } from '../answers/chat.mjs'

// Feedback, by the tracing SDK's reference: a score, a value, a comment or a correction under a key, on one run.

const QUESTION = 'How high is the tide?'

/** What is given and must be found, in the order of the keys. */
const GIVEN = [
  { key: 'answer', score: 0, correction: { text: 'Seven metres.' }, comment: 'It was measured at noon.' },
  { key: 'helpful', score: 1 },
  { key: 'tone', value: 'calm and short' },
]

export const cases = [
  {
    name: 'feedback: a score, a value, a comment and a correction',
    answers: [chat({ text: 'Six metres.' })],
    call: async (t) => {
      const { Client } = t.load('langsmith')
      const id = crypto.randomUUID()
      const body = { model: 'gpt-5-mini', messages: [{ role: 'user', content: QUESTION }] }
      await t.openai().chat.completions.create(body, { langsmithExtra: { id } })
      const client = new Client({ autoBatchTracing: false })
      for (const { key, ...rest } of GIVEN) await client.createFeedback(id, key, rest)
    },
    reads: {
      run: 'ChatOpenAI',
      inputs: [['user', QUESTION]],
      outputs: [['assistant', 'Six metres.']],
      feedback: GIVEN,
    },
  },
]
