// @langchain/svelte: its `useStream`, in a component that is mounted in jsdom, against a real server. Run by ../try-clients.mjs in a
// folder where it is installed.
import { writeFileSync } from 'node:fs'
import { register } from 'node:module'
import { JSDOM } from 'jsdom'
import { report, until } from './report.mjs'

const dom = new JSDOM('<!doctype html>', { url: 'http://localhost/' })
for (const name of [
  'window',
  'document',
  'navigator',
  'HTMLElement',
  'Element',
  'Node',
  'Text',
  'Comment',
  'HTMLMediaElement',
])
  Object.defineProperty(globalThis, name, {
    value: name === 'window' ? dom.window : dom.window[name],
    configurable: true,
  })

// A bundler would do this: the package and components are compiled, and Svelte comes in its form for browsers.
writeFileSync(
  'hooks.mjs',
  `import { compileModule } from 'svelte/compiler'
export const resolve = (name, at, next) => next(name, { ...at, conditions: [...at.conditions, 'browser'] })
export async function load(url, at, next) {
  const loaded = await next(url, at)
  if (!url.endsWith('.svelte.js')) return loaded
  return { ...loaded, source: compileModule(String(loaded.source), { generate: 'client', filename: url }).js.code }
}`,
)
register('./hooks.mjs', import.meta.url)
/** Not one of our dependencies. */
const load = (name) => import(name)
const { compile } = await load('svelte/compiler')
const COMPONENT = `<script>
  import { useStream } from '@langchain/svelte'
  let { seen, options } = $props()
  const stream = useStream(options)
  seen(stream)
</script>
{#each stream.messages as message (message.id)}<p>{message.text}</p>{/each}`
writeFileSync('chat.js', compile(COMPONENT, { generate: 'client', filename: 'chat.svelte' }).js.code)
const { default: Chat } = await load(`${import.meta.dirname}/chat.js`)
const { flushSync, mount, unmount } = await load('svelte')

const human = (content) => ({ messages: [{ type: 'human', content }] })

/** Mounts a component, as an application would. */
async function mounted(work) {
  const target = document.body.appendChild(document.createElement('main'))
  /** @type {any} */
  let stream
  const seen = (found) => {
    stream = found
  }
  const options = { apiUrl: process.env.AGENT_SERVER_URL, assistantId: 'agent' }
  const component = mount(Chat, { target, props: { seen, options } })
  const texts = () => {
    flushSync()
    return [...target.querySelectorAll('p')].map(({ textContent }) => textContent)
  }
  try {
    await until(() => !stream.isThreadLoading)
    await work(stream, texts)
  } finally {
    await unmount(component)
    target.remove()
  }
}

await report({
  'useStream: first message': () =>
    mounted(async (stream, texts) => {
      await stream.submit(human('hello'))
      await until(() => texts().join() === 'hello,You said: hello')
      await until(() => !stream.isLoading)
    }),
  'useStream: tokens, one by one': () =>
    mounted(async (stream, texts) => {
      const lengths = new Set()
      void stream.submit(human('long 20'))
      await until(() => {
        const last = texts().at(-1) ?? ''
        if (last.startsWith('w')) lengths.add(last.length)
        return last.endsWith('w19 ')
      })
      if (lengths.size < 3) throw new Error(`only ${lengths.size} steps`)
    }),
  'useStream: tool calls': () =>
    mounted(async (stream, texts) => {
      await stream.submit(human('weather'))
      await until(() => stream.toolCalls.some((call) => call.name === 'weather' && call.status === 'finished'))
      await until(() => texts().at(-1) === 'It is sunny in Oslo')
    }),
  'useStream: interrupt and answer': () =>
    mounted(async (stream, texts) => {
      await stream.submit(human('ask'))
      await until(() => stream.interrupt?.value?.question === 'Send it?' && !stream.isLoading)
      await stream.respond({ ok: true })
      await until(() => texts().at(-1) === 'Answer: {"ok":true}')
    }),
})
