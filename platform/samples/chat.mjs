import { tool } from '@langchain/core/tools'
import { END, START, StateGraph } from '@langchain/langgraph'
import { ToolNode } from '@langchain/langgraph/prebuilt'
import { z } from 'zod'
import { calculate } from './calculator.mjs'
import { conversation, delay_ms } from './schemas.mjs'
import { ScriptedModel } from './scripted-model.mjs'

const State = z.object({
  messages: conversation(
    'What is 12 * (3 + 4)? And what time is it?',
    'What time is it?',
    'Hello! What can I try here?',
  ),
})
const Context = z.object({
  persona: z.string().default('a calm concierge').describe('Who answers'),
  delay_ms,
})

const calculator = tool(({ expression }) => String(calculate(expression)), {
  name: 'calculator',
  description: 'Calculates with numbers, + - * / and brackets.',
  schema: z.object({ expression: z.string() }),
})
const clock = tool(
  ({ zone }) => new Date().toLocaleString('en-GB', { timeZone: zone, dateStyle: 'full', timeStyle: 'medium' }),
  {
    name: 'clock',
    description: 'Tells the date and time in a time zone.',
    schema: z.object({ zone: z.string().default('UTC') }),
  },
)
const tools = [calculator, clock]

/** Decides like a model: calls a tool if the question needs one and has no result yet, otherwise replies. */
export function script(persona) {
  return (messages) => {
    const asked = messages.findLastIndex((message) => message.getType() === 'human')
    const question = messages[asked]?.text.trim() ?? ''
    const results = messages.slice(asked + 1).filter((message) => message.getType() === 'tool')
    const expression = question.match(/[-(\d][-+*/().\d\s]*[-+*/][-+*/().\d\s]*[\d)]/)?.[0].trim()
    const wanted = [
      ...(expression ? [{ name: 'calculator', args: { expression } }] : []),
      ...(/\b(time|date|day|clock|today)\b/i.test(question) ? [{ name: 'clock', args: { zone: 'UTC' } }] : []),
    ]
    if (wanted.length && !results.length) return { text: 'Let me look that up.', toolCalls: wanted }
    return { text: reply({ persona, question, results }) }
  }
}

function reply({ persona, question, results }) {
  const greeting = process.env.GREETING
  const found = results.map((result) =>
    result.status === 'error'
      ? `The ${result.name} could not help: ${result.text}`
      : `The ${result.name} says: ${result.text}.`,
  )
  return [
    `Hello, I am ${persona}.`,
    greeting ? `My greeting today is "${greeting}".` : 'Nobody has given me a greeting yet.',
    question ? `You wrote: "${question.slice(0, 300)}".` : 'You wrote nothing, which is fine too.',
    ...found,
    'I run as a real agent server, and I read from a script instead of asking a model, so what I say is always the same and costs nothing.',
    'Each word you see was sent by itself, a moment after the one before, just as a model would send its tokens.\n\n',
    '**What you can try from here**\n\n',
    '1. Reload this page while I am still talking: the server keeps recording, so not a single word is lost.\n',
    '2. Ask me to calculate something, such as 12 * (3 + 4), or ask what time it is, and watch a tool being called.\n',
    '3. Change the secret GREETING of this deployment: a new revision rolls out, and my greeting changes.\n',
    '4. Make an assistant with another persona, or with a longer delay between two words.\n\n',
    'When you are done watching, open the state of this thread: every message of ours is there, with its id and its usage.',
    'That is all I have to say for now, and thank you for listening to the very end.',
  ]
    .join(' ')
    .replaceAll('\n ', '\n')
}

async function agent(state, { context }) {
  const model = new ScriptedModel({
    script: script(context?.persona ?? 'a calm concierge'),
    delayMs: context?.delay_ms ?? 30,
  })
  return { messages: [await model.invoke(state.messages)] }
}

export const graph = new StateGraph(State, Context)
  .addNode('agent', agent)
  .addNode('tools', new ToolNode(tools))
  .addEdge(START, 'agent')
  .addConditionalEdges('agent', (state) => (state.messages.at(-1)?.tool_calls?.length ? 'tools' : END), ['tools', END])
  .addEdge('tools', 'agent')
  .compile({ name: 'chat' })
