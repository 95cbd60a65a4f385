// @langchain/react: its `useStream`, rendered in jsdom against a real server. Run by ../try-clients.mjs in a folder where it is installed.
import { JSDOM } from 'jsdom'

const dom = new JSDOM('<!doctype html>', { url: 'http://localhost/' })
for (const name of ['window', 'document', 'navigator', 'HTMLElement', 'HTMLIFrameElement', 'Node'])
  Object.defineProperty(globalThis, name, {
    value: name === 'window' ? dom.window : dom.window[name],
    configurable: true,
  })
globalThis.IS_REACT_ACT_ENVIRONMENT = false

const { createElement } = await import('react')
const { createRoot } = await import('react-dom/client')
/** Not one of our dependencies. */
const load = (name) => import(name)
const { useStream } = await load('@langchain/react')
const { report, until } = await import('./report.mjs')

const apiUrl = process.env.AGENT_SERVER_URL

function Chat({ seen, options }) {
  seen.stream = useStream({ apiUrl, assistantId: 'agent', ...options })
  seen.texts.push(seen.stream.messages.at(-1)?.text ?? '')
  return createElement('p', null, seen.stream.messages.map((message) => message.text).join('|'))
}

/** Renders the hook as an application would, and gives its newest value. */
function render(options) {
  /** @type {{ stream: any, texts: string[] }} */
  const seen = { stream: undefined, texts: [] }
  const root = createRoot(document.body.appendChild(document.createElement('div')))
  root.render(createElement(Chat, { seen, options }))
  return { seen, close: () => root.unmount() }
}
const textsOf = (stream) => stream.messages.map((message) => `${message.type}: ${message.text}`)
const human = (content) => ({ messages: [{ type: 'human', content }] })

async function withHook(options, work) {
  const { seen, close } = render(options)
  try {
    await until(() => seen.stream && !seen.stream.isThreadLoading)
    return await work(seen)
  } finally {
    close()
  }
}
const idle = (seen) => until(() => !seen.stream.isLoading)

await report({
  'useStream: first message': () =>
    withHook({}, async (seen) => {
      await seen.stream.submit(human('hello'))
      await until(() => textsOf(seen.stream).join() === 'human: hello,ai: You said: hello')
      await idle(seen)
    }),
  'useStream: tokens, one by one': () =>
    withHook({}, async (seen) => {
      await seen.stream.submit(human('long 20'))
      await until(() => textsOf(seen.stream).at(-1)?.endsWith('w19 '))
      const lengths = new Set(seen.texts.filter((text) => text.startsWith('w')).map((text) => text.length))
      if (lengths.size < 5) throw new Error(`only ${lengths.size} steps`)
    }),
  'useStream: tool calls': () =>
    withHook({}, async (seen) => {
      await seen.stream.submit(human('weather'))
      await until(() => seen.stream.toolCalls.some((call) => call.name === 'weather' && call.status === 'finished'))
      await until(() => textsOf(seen.stream).at(-1) === 'ai: It is sunny in Oslo')
    }),
  'useStream: subgraphs': () =>
    withHook({}, async (seen) => {
      await seen.stream.submit(human('deep'))
      await until(() => seen.stream.subgraphsByNode.has('researcher'))
      await until(() => textsOf(seen.stream).at(-1) === 'ai: You said: deep')
    }),
  'useStream: interrupt and answer': () =>
    withHook({}, async (seen) => {
      await seen.stream.submit(human('ask'))
      await until(() => seen.stream.interrupt?.value?.question === 'Send it?')
      await idle(seen)
      await seen.stream.respond({ ok: true })
      await until(() => textsOf(seen.stream).at(-1) === 'ai: Answer: {"ok":true}')
      await idle(seen)
      if (seen.stream.interrupt) throw new Error('the interrupt is still there')
    }),
  'useStream: headless tool': () => {
    const locate = { tool: { name: 'locate' }, execute: async () => ({ latitude: 60 }) }
    return withHook({ tools: [locate] }, async (seen) => {
      await seen.stream.submit(human('headless'))
      await until(() => textsOf(seen.stream).at(-1)?.includes('{"latitude":60}'))
    })
  },
  'useStream: opens a thread in mid-run': () =>
    withHook({}, async (seen) => {
      // Resolves at the end of the run only.
      void seen.stream.submit(human('long 100'))
      await until(() => seen.stream.messages.at(-1)?.text.includes('w5 '))
      const { threadId } = seen.stream
      await withHook({ threadId }, async (second) => {
        await until(() => textsOf(second.stream).at(-1)?.endsWith('w99 '))
        const expected = Array.from({ length: 100 }, (_, index) => `w${index} `).join('')
        if (textsOf(second.stream).at(-1) !== `ai: ${expected}`) throw new Error('lost or doubled')
      })
    }),
  'useStream: stop': () =>
    withHook({}, async (seen) => {
      void seen.stream.submit(human('long 1000'))
      await until(() => seen.stream.messages.at(-1)?.text.includes('w5 '))
      await seen.stream.stop()
      const { threadId } = seen.stream
      await until(async () => {
        const runs = await (await fetch(`${apiUrl}/threads/${threadId}/runs`)).json()
        return runs[0].status === 'interrupted'
      })
    }),
})
