import { setTimeout as sleep } from 'node:timers/promises'
import { END, START, StateGraph } from '@langchain/langgraph'
import { registry } from '@langchain/langgraph/zod'
import { z } from 'zod'
import { conversation, delay_ms } from './schemas.mjs'
import { ScriptedModel } from './scripted-model.mjs'

const Finding = z.object({ question: z.string(), sources: z.array(z.string()), summary: z.string() })
const findings = z
  .array(Finding)
  .default(() => [])
  .describe('What has been found so far')
  .register(registry, { reducer: { fn: (all, more) => all.concat(more) } })
const questions = z
  .array(z.string())
  .default(() => [])
  .describe('What is still to be looked into')

const messages = conversation('Lighthouses', 'Harbours of the north')
const State = z.object({ messages, topic: z.string().default('').describe('What to research'), questions, findings })
const Inner = z.object({ messages, questions, findings, sources: z.array(z.string()).default(() => []) })
const Context = z.object({
  depth: z.number().int().min(1).max(10).default(3).describe('How many questions to ask'),
  delay_ms,
})

const ASPECTS = [
  'history',
  'present state',
  'open problems',
  'people',
  'costs',
  'risks',
  'tools',
  'alternatives',
  'limits',
  'future',
]

async function plan(state, { context, writer }) {
  const topic =
    state.topic || state.messages.findLast((message) => message.getType() === 'human')?.text.trim() || 'lighthouses'
  const questions = ASPECTS.slice(0, context?.depth ?? 3).map((aspect) => `What about the ${aspect} of ${topic}?`)
  writer?.({ kind: 'plan', topic, questions: questions.length })
  return { topic, questions }
}

async function gather(state, { writer, signal }) {
  const [question] = state.questions
  const sources = []
  for (const shelf of ['library', 'archive', 'newspaper']) {
    await sleep(120, undefined, { signal })
    sources.push(`${shelf}/${question.toLowerCase().replace(/\W+/g, '-').slice(0, 40)}`)
    writer?.({ kind: 'progress', question, found: sources.length, of: 3 })
  }
  return { sources }
}

async function write(state, { context }) {
  const [question, ...rest] = state.questions
  const text = `${question} Three sources agree on the main points: it began small, it grew by patient work, and most of what is hard about it today is not technical. Where they differ, the archive is the most careful one.`
  const model = new ScriptedModel({ script: () => ({ text }), delayMs: context?.delay_ms ?? 30 })
  const summary = await model.invoke(state.messages)
  return {
    messages: [summary],
    questions: rest,
    findings: [{ question, sources: state.sources, summary: summary.text }],
  }
}

const investigate = new StateGraph(Inner, Context)
  .addNode('gather', gather)
  .addNode('write', write)
  .addEdge(START, 'gather')
  .addEdge('gather', 'write')
  .addEdge('write', END)
  .compile({ name: 'investigate' })

// The subgraph is called instead of added as a node, so that it gets one question and returns only what is new.
async function look(state, config) {
  const before = { messages: [], questions: state.questions.slice(0, 1), findings: [] }
  const after = await investigate.invoke(before, config)
  return { messages: after.messages, questions: state.questions.slice(1), findings: after.findings }
}

async function report(state, { context, writer }) {
  const text = `I looked into ${state.findings.length} questions about ${state.topic}. In short: ${state.findings.map((finding) => finding.question.replace('What about', 'there is much to say about').replace('?', '')).join('; ')}. The details stand in the findings of this thread.`
  const model = new ScriptedModel({ script: () => ({ text }), delayMs: context?.delay_ms ?? 30 })
  const message = await model.invoke(state.messages)
  writer?.({ kind: 'done', findings: state.findings.length })
  return { messages: [message] }
}

export const graph = new StateGraph(State, Context)
  .addNode('plan', plan)
  .addNode('look', look, { subgraphs: [investigate] })
  .addNode('report', report)
  .addEdge(START, 'plan')
  .addEdge('plan', 'look')
  .addConditionalEdges('look', (state) => (state.questions.length ? 'look' : 'report'), ['look', 'report'])
  .addEdge('report', END)
  .compile({ name: 'research' })
