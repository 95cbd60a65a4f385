// RemoteGraph of @langchain/langgraph: a graph of the server, used like one of the program. Run by ../try-clients.mjs.
import { report, until } from './report.mjs'

/** Not in the version of our dependencies that the editor sees. */
const load = (name) => import(name)
const { Command, MemorySaver, MessagesAnnotation, START, StateGraph } = await load('@langchain/langgraph')
const { RemoteGraph } = await load('@langchain/langgraph/remote')
const { Client } = await load('@langchain/langgraph-sdk')

const url = process.env.AGENT_SERVER_URL
const client = new Client({ apiUrl: url })
const remote = (graphId) => new RemoteGraph({ graphId, url })
const human = (content) => ({ messages: [{ role: 'user', content }] })
const newThread = async () => ({ configurable: { thread_id: (await client.threads.create()).thread_id } })
function expect(isTrue, what) {
  if (!isTrue) throw new Error(what)
}

/** A thread that waits at the question of a graph. */
async function asked() {
  const graph = remote('approval')
  const config = await newThread()
  await graph.invoke({ topic: 'tea' }, config).catch((error) => {
    if (error.name !== 'GraphInterrupt') throw error
  })
  // It throws before the run has ended.
  await until(async () => (await client.threads.get(config.configurable.thread_id)).status !== 'busy')
  return { graph, config }
}

await report({
  'RemoteGraph: invoke': async () => {
    const { messages } = await remote('agent').invoke(human('hello'))
    expect(messages.at(-1).content === 'You said: hello', JSON.stringify(messages))
  },
  'RemoteGraph: stream': async () => {
    const modes = new Set()
    const options = { ...(await newThread()), streamMode: ['values', 'updates', 'messages'], subgraphs: true }
    for await (const [, mode] of await remote('agent').stream(human('deep'), options)) modes.add(mode)
    expect(
      ['values', 'updates', 'messages'].every((mode) => modes.has(mode)),
      `only ${[...modes]}`,
    )
  },
  'RemoteGraph: interrupt, new Command({ resume })': async () => {
    const { graph, config } = await asked()
    const state = await graph.getState(config)
    expect(
      state.tasks.some(({ interrupts }) => interrupts[0]?.value.question === 'Send it?'),
      JSON.stringify(state),
    )
    const answered = await graph.invoke(new Command({ resume: 'yes' }), config)
    expect(answered.draft === 'About tea (yes)', JSON.stringify(answered))
  },
  'RemoteGraph: state, history, drawing': async () => {
    const { graph, config } = await asked()
    await graph.updateState(config, { draft: 'mine' }, 'write')
    expect((await graph.getState(config)).values.draft === 'mine', 'the state was not updated')
    let count = 0
    for await (const _ of graph.getStateHistory(config)) count++
    expect(count > 0, 'no history')
    const drawing = await graph.getGraphAsync()
    expect(Object.keys(drawing.nodes).includes('review'), Object.keys(drawing.nodes).join())
  },
  'RemoteGraph: node of a local graph': async () => {
    const local = new StateGraph(MessagesAnnotation)
      .addNode('far', remote('agent'))
      .addEdge(START, 'far')
      .compile({ checkpointer: new MemorySaver() })
    const { messages } = await local.invoke(human('hello'), { configurable: { thread_id: crypto.randomUUID() } })
    expect(messages.at(-1).content === 'You said: hello', JSON.stringify(messages))
  },
})
