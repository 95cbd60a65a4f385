// The API passthrough of Next.js applications, which chat interfaces put between the browser and the server: the SDK calls its
// route handlers, and they call the server. Run by ../try-clients.mjs.
import { register } from 'node:module'
import { report } from './report.mjs'

// Bundlers find `next/server`; Node.js needs its whole name.
register(
  `data:text/javascript,${encodeURIComponent("export const resolve = (name, at, next) => next(name === 'next/server' ? 'next/server.js' : name, at)")}`,
)
/** Not one of our dependencies. */
const load = (name) => import(name)
const { initApiPassthrough } = await load('langgraph-nextjs-api-passthrough')
const { NextRequest } = await load('next/server')
const { Client } = await load('@langchain/langgraph-sdk')

const handlers = initApiPassthrough({
  apiUrl: process.env.AGENT_SERVER_URL,
  apiKey: 'a-key',
  runtime: 'nodejs',
  disableWarningLog: true,
})
const client = new Client({
  apiUrl: 'http://localhost/api',
  callerOptions: { fetch: (url, init) => handlers[init?.method ?? 'GET'](new NextRequest(url, init)) },
})
const human = (content) => ({ messages: [{ type: 'human', content }] })
function expect(isTrue, what) {
  if (!isTrue) throw new Error(what)
}

await report({
  'passthrough: stream': async () => {
    const { thread_id } = await client.threads.create()
    const events = new Set()
    const streamMode = ['values', 'messages-tuple']
    for await (const { event } of client.runs.stream(thread_id, 'agent', { input: human('long 30'), streamMode }))
      events.add(event)
    expect(events.has('messages') && events.has('values'), `only ${[...events]}`)
    const { values } = await client.threads.getState(thread_id)
    expect(values.messages.length === 2, JSON.stringify(values))
  },
  'passthrough: interrupt, answer': async () => {
    const { thread_id } = await client.threads.create()
    await client.runs.wait(thread_id, 'approval', { input: { topic: 'tea' } })
    const [found] = await client.threads.search({ ids: [thread_id], status: 'interrupted' })
    expect(found?.thread_id === thread_id, 'the thread does not wait')
    const { draft } = await client.runs.wait(thread_id, 'approval', { command: { resume: 'yes' } })
    expect(draft === 'About tea (yes)', draft)
  },
  'passthrough: delete': async () => {
    const { thread_id } = await client.threads.create()
    await client.threads.delete(thread_id)
    const error = await client.threads.get(thread_id).catch((error) => error)
    expect(error.status === 404, String(error))
  },
})
