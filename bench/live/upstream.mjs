// The upstream of the live benches, in its own process: a minimal control plane and agent server, enough to record runs,
// and at `/flow` the same events without either. A run's input, or the query of a request, sets what is sent and how fast:
//   events, bytes (150)   number of events, and characters of each text
//   rate (0)              events per second; 0 sends as fast as possible, one write each, as an agent server does
//   gate                  waits for `POST /bench/release?gate=...`; with rate 0 the events are built while it waits, so that
//                         building them is not measured
//   pauseAt, secondGate   waits for another gate after this many events
//   open=1                keeps the stream open after the last event
//   kind=reply            sends chunks of one message instead of the benches' own events
//   batch (1)             events per write, with rate 0
// Thread `state-N` has a state of N megabytes, thread `messages-N` has N messages.
// Reference pages are uploaded to `/page/...`, so that they share the origin of the events.
import { once } from 'node:events'
import { createServer } from 'node:http'
import { WebSocket } from 'undici'
import { messagesText, stateText } from '../state/states.mjs'
import { DEPLOYMENT, eventData } from './events.mjs'

const stats = { opened: 0, open: 0, runs: 0, lastAt: 0 }
const gates = new Map()
const runs = new Map()
const pages = new Map()
let count = 0

function gate(name) {
  let found = gates.get(name)
  if (!found) {
    let release
    const released = new Promise((resolve) => {
      release = resolve
    })
    found = { released, release }
    gates.set(name, found)
  }
  return found
}

const planOf = (given) => ({
  events: Number(given.events ?? 0),
  bytes: Number(given.bytes ?? 150),
  rate: Number(given.rate ?? 0),
  batch: Number(given.batch ?? 1),
  gate: given.gate ?? undefined,
  pauseAt: Number(given.pauseAt ?? 0),
  secondGate: given.secondGate,
  isOpen: given.open === '1',
  isSilent: given.silent === '1',
  isReply: given.kind === 'reply',
})

const chunkOf = (n, { events }) =>
  JSON.stringify([
    {
      type: 'AIMessageChunk',
      id: 'reply',
      content: n === events ? 'the-last-word' : `word${n}${n % 40 ? ' ' : '\n\n'}`,
    },
    { langgraph_node: 'model', langgraph_step: 1 },
  ])

const write = (plan, n, at) =>
  plan.isReply
    ? `event: messages\ndata: ${chunkOf(n, plan)}\n\n`
    : `event: custom\nid: ${n}\ndata: ${eventData(n, plan.bytes, at)}\n\n`

/** Calls `put` for each event when it is due; waits for promises. */
async function emit(plan, put, isGone) {
  if (plan.gate) await gate(plan.gate).released
  if (plan.rate === 0) {
    for (let n = 1; n <= plan.events && !isGone(); ) {
      const until = Math.min(plan.events, n + plan.batch - 1)
      const waits = put(n, until)
      n = until + 1
      if (waits) await waits
      if (until === plan.pauseAt) await gate(plan.secondGate).released
    }
    return
  }
  await new Promise((resolve) => pace({ plan, put, isGone, resolve, n: 1 }))
}

/** Streams with a rate. One timer sends what is due in all of them, because a timer for each costs more than the sending. */
const paced = new Set()
const STEP_MS = 1
let phase = 0
function pace(stream) {
  if (paced.size === 0) setTimeout(step, 0)
  phase = (phase + 0.618) % 1 // those released together are spread over one interval, as runs that know nothing of each other
  stream.dueAt = performance.now() + (phase * 1000) / stream.plan.rate
  paced.add(stream)
}
function step() {
  const now = performance.now()
  for (const stream of paced) {
    const { plan, put, isGone, resolve } = stream
    for (; stream.n <= plan.events && stream.dueAt <= now && !isGone(); stream.dueAt += 1000 / plan.rate)
      put(stream.n++)
    if (stream.n <= plan.events && !isGone()) continue
    paced.delete(stream)
    resolve(undefined)
  }
  if (paced.size > 0) setTimeout(step, STEP_MS)
}

async function stream(response, plan, first) {
  response.socket.setNoDelay(true)
  stats.opened += 1
  stats.open += 1
  let isGone = false
  /** @type {(value?: unknown) => void} */
  let onRoom = () => {}
  response.on('drain', () => onRoom())
  response.on('close', () => {
    isGone = true
    stats.open -= 1
    onRoom()
  })
  if (plan.isSilent) return response.flushHeaders()
  response.write(first)
  const textOf = (n, until) => {
    const at = plan.rate === 0 ? 0 : undefined
    let text = write(plan, n, at)
    for (let more = n + 1; more <= until; more += 1) text += write(plan, more, at)
    return text
  }
  const ready = new Map()
  if (plan.gate && plan.rate === 0)
    for (let n = 1; n <= plan.events; n += plan.batch)
      ready.set(n, Buffer.from(textOf(n, Math.min(plan.events, n + plan.batch - 1))))
  await emit(
    plan,
    (n, until) => {
      const bytes = ready.get(n) ?? textOf(n, until)
      ready.delete(n)
      if (response.write(bytes) || isGone) return undefined
      return new Promise((resolve) => {
        onRoom = resolve
      })
    },
    () => isGone,
  )
  if (plan.isOpen) return
  response.end()
  stats.lastAt = Date.now()
}

/** The same events, published to an nchan channel over one WebSocket. */
async function publish(plan, url) {
  const socket = new WebSocket(url)
  await once(socket, 'open')
  const put = (n) => socket.send(eventData(n, plan.bytes))
  void emit(plan, put, () => false).then(() => setTimeout(() => socket.close(), 2000))
}

const time = '2026-01-01T00:00:00Z'
const deploymentOf = () => ({
  id: DEPLOYMENT,
  name: 'bench',
  source: 'external_docker',
  source_config: { custom_url: address },
  source_revision_config: {},
  created_at: time,
  updated_at: time,
  status: 'READY',
  secrets: [],
  tenant_id: null,
})
const assistant = { assistant_id: DEPLOYMENT, graph_id: 'bench', name: 'bench', version: 1, metadata: {} }
const runOf = ({ id, thread, status, body }) => ({
  run_id: id,
  thread_id: thread,
  assistant_id: DEPLOYMENT,
  status,
  metadata: body.metadata ?? {},
  kwargs: { stream_resumable: false },
  created_at: time,
  updated_at: time,
})

const threadOf = (id) => ({ thread_id: id, created_at: time, updated_at: time, metadata: {}, status: 'idle' })

const values = new Map()
function valuesOf(thread) {
  if (!values.has(thread)) {
    const [kind, count] = thread.split('-')
    values.set(thread, kind === 'state' ? stateText(Number(count)) : messagesText(Number(count)))
  }
  return values.get(thread)
}

async function startRun(response, thread, body) {
  const id = `run-${++count}`
  const run = { id, thread, status: 'running', body }
  runs.set(id, run)
  stats.runs += 1
  response.writeHead(200, {
    'content-type': 'text/event-stream',
    'content-location': `/threads/${thread}/runs/${id}`,
  })
  const first = `event: metadata\ndata: ${JSON.stringify({ run_id: id, thread_id: thread, attempt: 1 })}\n\n`
  await stream(response, planOf(body.input ?? {}), first)
  run.status = 'success'
}

async function serve(request, response) {
  let text = ''
  for await (const part of request) text += part
  const { pathname, searchParams } = new URL(request.url, 'http://upstream')
  const query = Object.fromEntries(searchParams)
  const say = (value, status = 200) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value))
  }
  if (pathname === '/flow') {
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store, no-transform' })
    return await stream(response, planOf(query), ': open\n\n')
  }
  if (pathname === '/bench/stats') return say(stats)
  if (pathname === '/bench/release') {
    gate(query.gate).release()
    return say({})
  }
  if (pathname.startsWith('/page/')) {
    if (request.method === 'PUT') pages.set(pathname, text)
    const type = pathname.endsWith('.js') ? 'text/javascript' : 'text/html'
    response.writeHead(200, { 'content-type': `${type}; charset=utf-8` }).end(pages.get(pathname))
    return
  }
  if (pathname === '/bench/publish') {
    await publish(planOf(query), query.url)
    return say({})
  }
  const [, kind, thread, , id, verb] = pathname.split('/')
  if (pathname === '/v2/deployments') return say({ resources: [deploymentOf()], offset: 1 })
  if (pathname.startsWith('/v2/deployments/') && !pathname.endsWith('/revisions')) return say(deploymentOf())
  if (pathname.endsWith('/revisions')) return say({ resources: [], offset: 0 })
  if (pathname === '/assistants/search') return say([assistant])
  if (pathname.endsWith('/schemas')) return say({ graph_id: 'bench' })
  if (kind === 'assistants') return say(assistant)
  if (pathname === '/info') return say({ version: '1.0.0', flags: {} })
  if (pathname === '/threads' && request.method === 'POST') return say({ thread_id: `thread-${++count}`, metadata: {} })
  if (pathname.endsWith('/runs/stream')) return await startRun(response, thread, JSON.parse(text))
  if (pathname.endsWith('/history')) return say([])
  if (pathname === '/threads/search') return say((JSON.parse(text || '{}').ids ?? []).map(threadOf))
  if (kind === 'threads' && !id && thread && !pathname.endsWith('/state')) return say(threadOf(thread))
  if (pathname.endsWith('/state') && /^(state|messages)-/.test(thread)) {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(`{"values":${valuesOf(thread)},"next":[],"tasks":[],"metadata":{"step":1}}`)
    return
  }
  if (pathname.endsWith('/state')) return say({ values: { messages: [] }, next: [], tasks: [] })
  const run = runs.get(id)
  if (kind === 'threads' && run && !verb) return say(runOf(run))
  say({ detail: 'Not Found' }, 404)
}

const server = createServer((request, response) => {
  serve(request, response).catch((error) => {
    console.error('[upstream]', error)
    response.destroy()
  })
})
server.listen(0, '127.0.0.1')
await once(server, 'listening')
const address = `http://127.0.0.1:${/** @type {import('node:net').AddressInfo} */ (server.address()).port}`
process.send?.({ url: address })
process.on('disconnect', () => process.exit())
