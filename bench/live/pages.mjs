// Pages that do the same as ours in common ways, bundled by the bench. Each shows the last forty events or the reply,
// and sets `window.seen` to `{ count, at }`, with the time in epoch milliseconds.
import { build } from 'esbuild'
import { root } from '../../scripts/bootstrap.mjs'

const FRAME = `
import { createElement as h, useEffect, useState } from 'react'
import { createRoot } from 'react-dom/client'
const query = new URLSearchParams(location.search)
function Rows({ rows }) { return h('ul', null, rows.map(({ n, data }) => h('li', { key: n }, n, ' ', data))) }
// After the browser has painted what was rendered.
function tell(count) { requestAnimationFrame(() => setTimeout(() => { window.seen = { count, at: Date.now() } })) }
function show(Page) { createRoot(document.body).render(h(Page)) }
`

const SOURCES = {
  // The browser's EventSource; each event is a state change.
  eventsource: `${FRAME}
function Page() {
  const [rows, setRows] = useState([])
  useEffect(() => {
    const source = new EventSource('/flow?' + query)
    source.addEventListener('custom', ({ data }) => {
      setRows((rows) => [...rows.slice(-39), { n: JSON.parse(data).n, data }])
    })
    source.onopen = () => { window.isOpen = true }
    source.onerror = () => source.close()
  }, [])
  useEffect(() => { if (rows.length > 0) tell(rows.at(-1).n) }, [rows])
  return h(Rows, { rows })
}
show(Page)`,
  // The SDK's hook, on the agent server's own interface.
  usestream: `${FRAME}
import { useStream } from '@langchain/langgraph-sdk/react'
const input = Object.fromEntries(query)
function Page() {
  const [rows, setRows] = useState([])
  const stream = useStream({
    apiUrl: location.origin, assistantId: 'bench', fetchStateHistory: false, throttle: false,
    onCustomEvent: (event) => setRows((rows) => [...rows.slice(-39), { n: event.n, data: event.text }]),
  })
  useEffect(() => {
    stream.submit(input, { streamMode: ['custom', 'messages-tuple'] })
    window.isOpen = true
  }, [])
  useEffect(() => { if (rows.length > 0) tell(rows.at(-1).n) }, [rows])
  return h('div', null, stream.messages.map(({ id, content }) => h('p', { key: id }, String(content))), h(Rows, { rows }))
}
show(Page)`,
}

/** Uploads the pages to the upstream; returns a function that gives the address of one with a query. */
export async function putPages(upstream) {
  for (const [name, contents] of Object.entries(SOURCES)) {
    const { outputFiles } = await build({
      stdin: { contents, resolveDir: root, loader: 'js' },
      bundle: true,
      minify: true,
      write: false,
      format: 'esm',
      platform: 'browser',
      define: { 'process.env.NODE_ENV': '"production"' },
      logLevel: 'error',
    })
    const put = (at, body) => fetch(`${upstream.url}/page/${at}`, { method: 'PUT', body }).then((one) => one.text())
    await put(`${name}.js`, outputFiles[0].text)
    await put(name, `<!doctype html><body><script type="module" src="/page/${name}.js"></script>`)
  }
  await fetch(`${upstream.url}/page/blank`, { method: 'PUT', body: '<!doctype html><title>blank</title>' })
  return (name, query) => `${upstream.url}/page/${name}?${new URLSearchParams(query)}`
}
