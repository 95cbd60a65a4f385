// @langchain/langgraph-sdk in the version that is installed: the older protocol, and threads.stream where it has one.
import { Client } from '@langchain/langgraph-sdk'
import { report, until } from './report.mjs'

/** Not one of our dependencies. */
const load = (name) => import(name)
const { WebSocket } = await load('ws')

const apiUrl = process.env.AGENT_SERVER_URL
/** @type {any} */
const client = new Client({ apiUrl })
const human = (content) => ({ messages: [{ type: 'human', content }] })
const NONE = 'not in this version'
const words = (count) => Array.from({ length: count }, (_, index) => `w${index} `).join('')

async function collect(events) {
  const all = []
  for await (const event of events) all.push(event)
  return all
}
function expect(isTrue, what) {
  if (!isTrue) throw new Error(what)
}
/** A fetch whose first event stream breaks after some bytes. */
function breakingFetch() {
  let isBroken = false
  return async (url, init) => {
    const response = await fetch(url, init)
    if (isBroken || !String(url).endsWith('/stream/events') || !String(init?.body).includes('messages')) return response
    isBroken = true
    let left = 6000
    const cut = new TransformStream({
      transform(chunk, controller) {
        left -= chunk.length
        if (left < 0) controller.error(new Error('cut'))
        else controller.enqueue(chunk)
      },
    })
    return new Response(response.body?.pipeThrough(cut), { headers: response.headers })
  }
}

/** @param {(thread: any) => Promise<unknown>} work */
async function onThread(work, options = {}) {
  if (!client.threads.stream) return NONE
  const thread = client.threads.stream({ assistantId: 'agent', ...options })
  try {
    await work(thread)
  } finally {
    await thread.close()
  }
}
/** Options for a thread whose connection is a WebSocket, which is cut once after `cutAfter` messages. */
function overWebSocket(cutAfter = Infinity) {
  let count = 0
  const webSocketFactory = (url) => {
    const socket = new WebSocket(url)
    socket.on('message', () => ++count === cutAfter && socket.terminate())
    return socket
  }
  return { transport: 'websocket', webSocketFactory }
}
async function textsOf(thread) {
  const texts = []
  for await (const message of thread.messages) texts.push(await message.text)
  return texts
}

await report({
  'runs.stream': async () => {
    const { thread_id } = await client.threads.create()
    const streamMode = ['values', 'messages-tuple']
    const events = await collect(client.runs.stream(thread_id, 'agent', { input: human('weather'), streamMode }))
    expect(
      events.some(({ event }) => event === 'messages'),
      'no messages',
    )
    expect(events.findLast(({ event }) => event === 'values').data.messages.length === 4, 'not all messages')
  },
  'runs.wait, interrupt, answer': async () => {
    const { thread_id } = await client.threads.create()
    await client.runs.wait(thread_id, 'agent', { input: human('ask') })
    const state = await client.runs.wait(thread_id, 'agent', { command: { resume: 'yes' } })
    expect(state.messages.at(-1).content === 'Answer: "yes"', 'not answered')
  },
  'runs.joinStream': async () => {
    const { thread_id } = await client.threads.create()
    const streamMode = ['values', 'custom']
    const { run_id } = await client.runs.create(thread_id, 'agent', { input: human('long 40'), streamMode })
    const events = await collect(client.runs.joinStream(thread_id, run_id, { streamMode }))
    expect(
      events.some(({ event }) => event === 'values'),
      `only ${events.map(({ event }) => event)}`,
    )
  },
  'store, schemas, deletion': async () => {
    await client.store.putItem(['a'], 'k', { text: 'b' }, { index: ['text'] })
    const { items } = await client.store.searchItems(['a'], { query: 'b' })
    expect(items.length === 1, 'no item found')
    const { input_schema } = await client.assistants.getSchemas('agent')
    expect(input_schema?.properties?.messages, 'no schema')
    const { assistant_id } = await client.assistants.create({ graphId: 'agent' })
    await client.assistants.delete(assistant_id)
  },
  'threads.stream: messages, state': () =>
    onThread(async (thread) => {
      const texts = textsOf(thread)
      await thread.run.start({ input: human('hello') })
      const { messages } = await thread.output
      expect(messages.at(-1).text === 'You said: hello', 'wrong state')
      await thread.close()
      expect((await texts).join() === 'You said: hello', 'wrong messages')
    }),
  'threads.stream: tool calls': () =>
    onThread(async (thread) => {
      const calls = (async () => {
        for await (const call of thread.toolCalls) return [call.name, await call.output]
      })()
      await thread.run.start({ input: human('weather') })
      expect((await calls)?.join() === 'weather,sunny in Oslo', 'no tool call')
    }),
  'threads.stream: subgraphs': () =>
    onThread(async (thread) => {
      const graphs = (async () => {
        for await (const graph of thread.subgraphs) if (graph.name === 'researcher') return true
      })()
      await thread.run.start({ input: human('deep') })
      expect(await graphs, 'no subgraph')
    }),
  'threads.stream: interrupt, answer': () =>
    onThread(async (thread) => {
      await thread.run.start({ input: human('ask') })
      await thread.output
      const [{ interruptId, namespace }] = thread.interrupts
      await thread.input.respond({ namespace, interrupt_id: interruptId, response: 1 })
      await until(async () => {
        const { values } = await client.threads.getState(thread.threadId)
        return values.messages.at(-1).content === 'Answer: 1'
      })
    }),
  'threads.stream: cut in mid-stream': () =>
    onThread(
      async (thread) => {
        const texts = textsOf(thread)
        await thread.run.start({ input: human('long 100') })
        await thread.output
        await thread.close()
        expect((await texts).join() === words(100), 'lost or doubled')
      },
      { fetch: breakingFetch() },
    ),
  'threads.stream over a WebSocket: messages, state': () =>
    onThread(async (thread) => {
      const texts = textsOf(thread)
      await thread.run.start({ input: human('hello') })
      const { messages } = await thread.output
      expect(messages.at(-1).text === 'You said: hello', 'wrong state')
      await thread.close()
      expect((await texts).join() === 'You said: hello', 'wrong messages')
    }, overWebSocket()),
  'threads.stream over a WebSocket: interrupt, answer': () =>
    onThread(async (thread) => {
      await thread.run.start({ input: human('ask') })
      await thread.output
      const [{ interruptId, namespace }] = thread.interrupts
      await thread.input.respond({ namespace, interrupt_id: interruptId, response: 1 })
      await until(async () => {
        const { values } = await client.threads.getState(thread.threadId)
        return values.messages.at(-1).content === 'Answer: 1'
      })
    }, overWebSocket()),
  'threads.stream over a WebSocket: cut in mid-stream': () =>
    onThread(async (thread) => {
      const texts = textsOf(thread)
      await thread.run.start({ input: human('long 100') })
      await thread.output
      await thread.close()
      expect((await texts).join() === words(100), 'lost or doubled')
    }, overWebSocket(50)),
  'threads.stream: cancel': () =>
    onThread(async (thread) => {
      const { run_id } = await thread.run.start({ input: human('long 2000') })
      await client.runs.cancel(thread.threadId, run_id, true)
      await until(() => thread.interrupted)
    }),
})
