import { AIMessage } from '@langchain/core/messages'
import { END, interrupt, START, StateGraph } from '@langchain/langgraph'
import { z } from 'zod'
import { conversation, delay_ms } from './schemas.mjs'
import { ScriptedModel } from './scripted-model.mjs'

const State = z.object({
  messages: conversation('The release on Friday', 'The new opening hours'),
  draft: z.string().default('').describe('What would be sent'),
  decision: z.enum(['approved', 'edited', 'rejected', '']).default('').describe('What the person said'),
})
const Context = z.object({ recipient: z.string().default('the whole team').describe('Who gets the message'), delay_ms })

async function write(state, { context }) {
  const topic = state.messages.findLast((message) => message.getType() === 'human')?.text.trim() || 'the release'
  const text = `Dear ${context?.recipient ?? 'team'}, this is a short note about ${topic}. Everything is prepared, the checks are green, and we would like to go ahead this afternoon. Please answer if you see a reason to wait.`
  const model = new ScriptedModel({ script: () => ({ text }), delayMs: context?.delay_ms ?? 30 })
  const draft = await model.invoke(state.messages)
  return { messages: [draft], draft: draft.text, decision: '' }
}

/** Accepts `true`, `"approve"`, `{ type: "approve" | "accept" | "edit" | "reject", text }` and the like. */
function readAnswer(answer) {
  const { type, text, args } = typeof answer === 'object' && answer !== null ? answer : { type: String(answer) }
  if (/^(edit|edited)$/i.test(type) || typeof answer?.text === 'string')
    return { decision: 'edited', text: String(text ?? args ?? '') }
  return { decision: /^(true|yes|ok|approved?|accept(ed)?)$/i.test(type) ? 'approved' : 'rejected' }
}

async function review(state, { context }) {
  const answer = interrupt({
    question: `Send this to ${context?.recipient ?? 'the whole team'}?`,
    draft: state.draft,
    options: ['approve', 'edit', 'reject'],
  })
  const { decision, text } = readAnswer(answer)
  return { decision, ...(text ? { draft: text } : {}) }
}

async function send(state, { context }) {
  const said = state.decision === 'edited' ? 'Sent as you changed it' : 'Sent'
  return { messages: [new AIMessage(`${said} to ${context?.recipient ?? 'the whole team'}: ${state.draft}`)] }
}

async function discard() {
  return { messages: [new AIMessage('Not sent. The draft stays here in case you change your mind.')] }
}

export const graph = new StateGraph(State, Context)
  .addNode('write', write)
  .addNode('review', review)
  .addNode('send', send)
  .addNode('discard', discard)
  .addEdge(START, 'write')
  .addEdge('write', 'review')
  .addConditionalEdges('review', (state) => (state.decision === 'rejected' ? 'discard' : 'send'), ['send', 'discard'])
  .addEdge('send', END)
  .addEdge('discard', END)
  .compile({ name: 'approval' })
