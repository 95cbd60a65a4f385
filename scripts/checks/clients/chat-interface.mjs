// What the open chat interface for agents sends, both ways that it documents: from the browser with the deployment's address and
// key, and through its own server. Its component is `useStream` of the SDK, with its options. Run by ../try-clients.mjs.
import { createServer } from 'node:http'
import { register } from 'node:module'
import { JSDOM } from 'jsdom'

const dom = new JSDOM('<!doctype html>', { url: 'http://localhost/' })
for (const name of ['window', 'document', 'navigator', 'HTMLElement', 'HTMLIFrameElement', 'Node'])
  Object.defineProperty(globalThis, name, {
    value: name === 'window' ? dom.window : dom.window[name],
    configurable: true,
  })
globalThis.IS_REACT_ACT_ENVIRONMENT = false
// Bundlers find `next/server`; Node.js needs its whole name.
register(
  `data:text/javascript,${encodeURIComponent("export const resolve = (name, at, next) => next(name === 'next/server' ? 'next/server.js' : name, at)")}`,
)
/** Not one of our dependencies. */
const load = (name) => import(name)
const { createElement } = await load('react')
const { createRoot } = await load('react-dom/client')
const { useStream } = await load('@langchain/langgraph-sdk/react')
const { Client } = await load('@langchain/langgraph-sdk')
const { initApiPassthrough } = await load('langgraph-nextjs-api-passthrough')
const { NextRequest } = await load('next/server')
const { report, until } = await import('./report.mjs')

const direct = process.env.AGENT_SERVER_URL
const handlers = initApiPassthrough({ apiUrl: direct, apiKey: 'a-key', runtime: 'nodejs', disableWarningLog: true })
const server = createServer(async (request, response) => {
  const chunks = []
  for await (const chunk of request) chunks.push(chunk)
  const { method = 'GET', headers } = request
  const body = chunks.length > 0 ? Buffer.concat(chunks) : undefined
  const url = `http://${headers.host}${request.url}`
  const answer = await handlers[method](new NextRequest(url, { method, headers, body }), {})
  response.writeHead(answer.status, Object.fromEntries(answer.headers))
  for await (const part of answer.body ?? []) response.write(part)
  response.end()
})
await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)))
const address = /** @type {import('node:net').AddressInfo} */ (server.address())
const WAYS = { direct, 'through its server': `http://127.0.0.1:${address.port}/api` }

const message = (text) => ({ id: crypto.randomUUID(), type: 'human', content: [{ type: 'text', text }] })
const SUBMIT = { streamMode: ['values'], streamSubgraphs: true, streamResumable: true }
const textsOf = ({ messages }) =>
  messages.map(({ content }) => (typeof content === 'string' ? content : content.map(({ text }) => text).join('')))
const lastOf = (seen) => textsOf(seen.stream).at(-1)

function Chat({ seen, apiUrl }) {
  const onThreadId = (id) => {
    seen.threadId = id
  }
  const options = { apiUrl, apiKey: 'a-key', assistantId: 'agent', threadId: seen.threadId }
  const more = { fetchStateHistory: true, onCustomEvent: () => {}, onThreadId, reconnectOnMount: seen.isReconnecting }
  seen.stream = useStream({ ...options, ...more })
  seen.shown.add(textsOf(seen.stream).join())
  return createElement('p', null, textsOf(seen.stream).join('|'))
}

/** Opens a conversation, as the page does with a thread in its address. */
function open(apiUrl, threadId = null, isReconnecting = false) {
  /** @type {any} */
  const seen = { threadId, isReconnecting, shown: new Set() }
  const root = createRoot(document.body.appendChild(document.createElement('div')))
  const render = () => root.render(createElement(Chat, { seen, apiUrl }))
  render()
  seen.say = (text, more = {}) => {
    const said = message(text)
    const optimisticValues = (before) => ({ ...before, messages: [...(before.messages ?? []), said] })
    seen.stream.submit({ messages: [said], context: undefined }, { ...SUBMIT, optimisticValues, ...more })
  }
  seen.answered = async (text) => {
    await until(() => lastOf(seen) === text && !seen.stream.isLoading)
    // The page's address has the thread from here on.
    render()
    await until(() => !seen.stream.isThreadLoading)
  }
  seen.close = () => root.unmount()
  return seen
}

/** A check that is made in both ways. */
const both = (work) => async () => {
  for (const [way, apiUrl] of Object.entries(WAYS)) {
    try {
      await work(apiUrl)
    } catch (error) {
      throw new Error(`${way}: ${error.message}`)
    }
  }
}
const inChat = (work) =>
  both(async (apiUrl) => {
    const seen = open(apiUrl)
    try {
      await until(() => seen.stream)
      await work(seen, apiUrl)
    } finally {
      seen.close()
    }
  })
function expect(isTrue, what) {
  if (!isTrue) throw new Error(what)
}

await report({
  'chat: looks for the server': both(async (apiUrl) => {
    const { ok } = await fetch(`${apiUrl}/info`, { headers: { 'X-Api-Key': 'a-key' } })
    expect(ok, 'no information')
  }),
  'chat: messages, and the thread again': inChat(async (seen, apiUrl) => {
    seen.say('hello')
    await until(() => seen.shown.has('hello')) // at once, before the server knows
    await seen.answered('You said: hello')
    seen.say('again')
    await seen.answered('You said: again')
    const second = open(apiUrl, seen.threadId)
    await until(() => second.stream && textsOf(second.stream).length === 4)
    second.close()
  }),
  'chat: list of threads': inChat(async (seen, apiUrl) => {
    seen.say('listed')
    await seen.answered('You said: listed')
    const client = new Client({ apiUrl, apiKey: 'a-key' })
    const threads = await client.threads.search({ metadata: { graph_id: 'agent' }, limit: 100 })
    expect(
      threads.some(({ thread_id }) => thread_id === seen.threadId),
      'the thread is missing',
    )
  }),
  'chat: edits a message, answers again': inChat(async (seen) => {
    seen.say('first')
    await seen.answered('You said: first')
    const before = (index) =>
      seen.stream.getMessagesMetadata(seen.stream.messages[index])?.firstSeenState?.parent_checkpoint
    await until(() => before(1))
    seen.stream.submit(undefined, { ...SUBMIT, checkpoint: before(1) })
    await until(() => seen.stream.isLoading)
    await seen.answered('You said: first')
    await until(() => before(0))
    seen.say('second', { checkpoint: before(0), optimisticValues: undefined })
    await seen.answered('You said: second')
    expect(textsOf(seen.stream).join() === 'second,You said: second', textsOf(seen.stream).join())
    const { branch, branchOptions } = seen.stream.getMessagesMetadata(seen.stream.messages[0])
    expect(branchOptions?.length === 2, `branches: ${branchOptions}`)
    seen.stream.setBranch(branchOptions.find((one) => one !== branch))
    await until(() => textsOf(seen.stream).join() === 'first,You said: first')
  }),
  'chat: a reload in mid-run': both(async (apiUrl) => {
    const seen = open(apiUrl, null, true)
    await until(() => seen.stream)
    seen.say('long 300')
    await until(() => lastOf(seen)?.includes('w5 '))
    seen.close()
    const second = open(apiUrl, seen.threadId, true)
    const expected = Array.from({ length: 300 }, (_, index) => `w${index} `).join('')
    await until(() => second.stream?.isLoading)
    await until(() => second.stream.messages.length > 1 && lastOf(second) === expected && !second.stream.isLoading)
    expect(textsOf(second.stream).length === 2, textsOf(second.stream).join())
    second.close()
  }),
  'chat: approval': inChat(async (seen) => {
    seen.say('ask')
    await until(() => seen.stream.interrupt?.value?.question === 'Send it?' && !seen.stream.isLoading)
    seen.stream.submit({}, { command: { resume: [{ type: 'accept', args: null }] } })
    await seen.answered('Answer: [{"type":"accept","args":null}]')
  }),
})
