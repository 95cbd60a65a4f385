import { AIMessage, SystemMessage } from '@langchain/core/messages'
import { END, START, StateGraph } from '@langchain/langgraph'
import { z } from 'zod'
import { conversation } from '../schemas.mjs'
import { configuredModel } from './model.mjs'

const State = z.object({ messages: conversation() })
const Context = z.object({
  instructions: z.string().default('You are a helpful assistant.').describe('The system prompt'),
})

async function agent(state, { context }) {
  const model = configuredModel()
  if (!model) return { messages: [new AIMessage(noModel())] }
  const system = new SystemMessage(context?.instructions ?? 'You are a helpful assistant.')
  return { messages: [await model.invoke([system, ...state.messages])] }
}

function noModel() {
  const page = process.env.PILOTHOUSE_SECRETS_URL
  return [
    'I have no model yet. Set one of these secrets of this deployment:',
    '- `OPENAI_API_KEY` for OpenAI, with `OPENAI_BASE_URL` for another compatible server',
    '- `ANTHROPIC_API_KEY` for Anthropic',
    '',
    `${page ? `[Open the secrets](${page})` : 'They are under Settings, Secrets'}. Then write again.`,
  ].join('\n')
}

export const graph = new StateGraph(State, Context)
  .addNode('agent', agent)
  .addEdge(START, 'agent')
  .addEdge('agent', END)
  .compile({ name: 'agent' })
