// The LangGraph adapter of assistant-ui, as its documentation connects it. Run by ../try-clients.mjs.
import { JSDOM } from 'jsdom'

const dom = new JSDOM('<!doctype html>', { url: 'http://localhost/' })
for (const name of ['window', 'document', 'navigator', 'HTMLElement', 'HTMLIFrameElement', 'Node'])
  Object.defineProperty(globalThis, name, {
    value: name === 'window' ? dom.window : dom.window[name],
    configurable: true,
  })
globalThis.IS_REACT_ACT_ENVIRONMENT = false
/** Not one of our dependencies. */
const load = (name) => import(name)
const { createElement } = await load('react')
const { createRoot } = await load('react-dom/client')
const { AssistantRuntimeProvider } = await load('@assistant-ui/react')
const adapter = await load('@assistant-ui/react-langgraph')
const { Client } = await load('@langchain/langgraph-sdk')
const { report, until } = await import('./report.mjs')

const client = new Client({ apiUrl: process.env.AGENT_SERVER_URL, apiKey: 'a-key' })
const stream = adapter.unstable_createLangGraphStream({ client, assistantId: 'agent' })

/** The checkpoint whose messages are these, for an edit or another answer. */
async function getCheckpointId(threadId, parents) {
  const history = await client.threads.getHistory(threadId, { limit: 100 })
  const ids = parents.map(({ id }) => id).join()
  const found = history.find(({ values }) => (values.messages ?? []).map(({ id }) => id).join() === ids)
  return found?.checkpoint.checkpoint_id ?? null
}

const entryOf = ({ thread_id: id }) => ({ status: 'regular', remoteId: id, externalId: id })
/** The list of threads, kept by the server alone. */
const unstable_threadListAdapter = {
  list: async () => ({ threads: (await client.threads.search({ limit: 20 })).map(entryOf) }),
  fetch: async (id) => entryOf(await client.threads.get(id)),
  initialize: async () => entryOf(await client.threads.create()),
  delete: (id) => client.threads.delete(id),
  rename: async () => {},
  archive: async () => {},
  generateTitle: async () => new ReadableStream({ start: (controller) => controller.close() }),
}

function Chat({ seen, threadId }) {
  const runtime = adapter.useLangGraphRuntime({
    stream,
    threadId,
    getCheckpointId,
    unstable_allowCancellation: true,
    unstable_threadListAdapter,
    onThreadIdChange: (id) => {
      seen.threadId = id ?? seen.threadId
    },
    load: async (externalId) => {
      const { values, tasks } = await client.threads.getState(externalId)
      return { messages: values.messages ?? [], interrupts: tasks[0]?.interrupts }
    },
  })
  seen.runtime = runtime
  return createElement(AssistantRuntimeProvider, { runtime }, createElement(Inside, { seen }))
}
function Inside({ seen }) {
  seen.interrupt = adapter.useLangGraphInterruptState()
  seen.command = adapter.useLangGraphSendCommand()
  return null
}

const messagesOf = (seen) => seen.runtime.thread.getState().messages
const textOf = ({ content }) => content.map((part) => (part.type === 'text' ? part.text : '')).join('')
const textsOf = (seen) => messagesOf(seen).map((message) => `${message.role}: ${textOf(message)}`)
const isIdle = (seen) => !seen.runtime.thread.getState().isRunning

/** Opens a conversation, says something and gives what is shown. */
async function inChat(work, threadId) {
  /** @type {any} */
  const seen = { texts: new Set() }
  const root = createRoot(document.body.appendChild(document.createElement('div')))
  root.render(createElement(Chat, { seen, threadId }))
  try {
    await until(() => seen.runtime)
    seen.runtime.thread.subscribe(() => seen.texts.add(textsOf(seen).at(-1)))
    await work(seen)
  } finally {
    root.unmount()
  }
}
const say = (seen, text) => seen.runtime.thread.append({ role: 'user', content: [{ type: 'text', text }] })
const shows = (seen, ...texts) => until(() => isIdle(seen) && textsOf(seen).join('|') === texts.join('|'))

await report({
  'assistant-ui: messages, token by token': () =>
    inChat(async (seen) => {
      say(seen, 'long 20')
      await until(() => isIdle(seen) && textsOf(seen).at(-1)?.endsWith('w19 '))
      if (seen.texts.size < 5) throw new Error(`only ${seen.texts.size} steps`)
    }),
  'assistant-ui: tool calls': () =>
    inChat(async (seen) => {
      say(seen, 'weather')
      await until(() => isIdle(seen) && textsOf(seen).at(-1)?.includes('It is sunny in Oslo'))
      const call = messagesOf(seen)
        .flatMap(({ content }) => content)
        .find(({ type }) => type === 'tool-call')
      if (call?.args.city !== 'Oslo' || call.result !== 'sunny in Oslo') throw new Error(JSON.stringify(call))
    }),
  'assistant-ui: interrupt, answer': () =>
    inChat(async (seen) => {
      say(seen, 'ask')
      await until(() => isIdle(seen) && seen.interrupt?.value?.question === 'Send it?')
      await seen.command({ resume: { ok: true } })
      await shows(seen, 'user: ask', 'assistant: Answer: {"ok":true}')
      if (seen.interrupt) throw new Error('the interrupt is still there')
    }),
  'assistant-ui: list of threads, and one of them again': () =>
    inChat(async (seen) => {
      say(seen, 'hello')
      await shows(seen, 'user: hello', 'assistant: You said: hello')
      const again = (second) => shows(second, 'user: hello', 'assistant: You said: hello')
      await inChat(again, seen.threadId)
      await inChat(async (second) => {
        await until(() => second.runtime.threads.getState().threadIds.includes(seen.threadId))
        await second.runtime.threads.switchToThread(seen.threadId)
        await again(second)
      })
    }),
  'assistant-ui: edits a message, answers again': () =>
    inChat(async (seen) => {
      say(seen, 'first')
      await shows(seen, 'user: first', 'assistant: You said: first')
      const [asked] = messagesOf(seen)
      seen.runtime.thread.append({
        role: 'user',
        content: [{ type: 'text', text: 'second' }],
        parentId: null,
        sourceId: asked.id,
      })
      await shows(seen, 'user: second', 'assistant: You said: second')
      seen.runtime.thread.startRun({ parentId: messagesOf(seen)[0].id })
      await until(() => !isIdle(seen))
      await shows(seen, 'user: second', 'assistant: You said: second')
      const { values } = await client.threads.getState(seen.threadId)
      if (values.messages.length !== 2) throw new Error(JSON.stringify(values.messages))
    }),
  'assistant-ui: stop': () =>
    inChat(async (seen) => {
      say(seen, 'long 1000')
      await until(() => textsOf(seen).at(-1)?.includes('w5 '))
      seen.runtime.thread.cancelRun()
      await until(async () => (await client.runs.list(seen.threadId))[0].status === 'interrupted')
    }),
})
