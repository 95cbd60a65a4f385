// A model server that gives scripted answers, and a tracing server that only keeps what it is sent. Node only.
import { once } from 'node:events'
import { createServer } from 'node:http'
import { gunzipSync } from 'node:zlib'
import { usageSaid } from './usage-said.mjs'

/**
 * One answer of a provider.
 * @typedef {{ json?: unknown, events?: { event?: string, data: unknown }[], done?: string, status?: number,
 *   cutAfter?: number, stallAfter?: number, lines?: unknown[], never?: boolean }} Answer
 */

const bodyOf = async (request) => {
  const parts = []
  for await (const part of request) parts.push(part)
  const bytes = Buffer.concat(parts)
  return request.headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes
}

async function listen(handler) {
  const server = createServer((request, response) => {
    handler(request, response).catch((error) => {
      response.statusCode = 500
      response.end(String(error))
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address())
  const close = () => {
    server.closeAllConnections()
    server.close()
  }
  return { url: `http://127.0.0.1:${port}`, close }
}

/** Gives the queued answers in turn, as a stream where the request asks for one. */
export async function startModelServer() {
  /** @type {Answer[]} */
  let answers = []
  let said = [0, 0]
  const note = (payloads) => {
    const usage = usageSaid(payloads)
    if (usage) said = said.map((sum, index) => sum + usage[index])
  }
  const server = await listen(async (request, response) => {
    const text = (await bodyOf(request)).toString()
    const asked = text.startsWith('{') ? JSON.parse(text) : {}
    const answer = answers.length > 1 ? answers.shift() : answers[0]
    if (!answer) throw new Error(`Nothing was scripted for ${request.method} ${request.url}`)
    if (answer.never) return
    if (answer.lines) {
      note(answer.lines)
      response.writeHead(200, { 'content-type': 'application/x-ndjson' })
      response.end(answer.lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
      return
    }
    const isStream = asked.stream === true || request.url?.includes(':streamGenerateContent')
    if (!isStream || !answer.events) {
      note([answer.json])
      response.writeHead(answer.status ?? 200, { 'content-type': 'application/json' })
      response.end(JSON.stringify(answer.json))
      return
    }
    note(answer.events.slice(0, answer.cutAfter ?? answer.stallAfter).map(({ data }) => data))
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const [index, { event, data }] of answer.events.entries()) {
      if (index === answer.cutAfter) {
        // The bytes before must leave first, or nothing of the answer arrives.
        await new Promise((resolve) => setTimeout(resolve, 50))
        response.destroy()
        return
      }
      if (index === answer.stallAfter) return
      response.write(`${event ? `event: ${event}\n` : ''}data: ${JSON.stringify(data)}\n\n`)
    }
    response.end(answer.done ? `data: ${answer.done}\n\n` : undefined)
  })
  return {
    ...server,
    /** @param {readonly Answer[]} given the last one is repeated */
    script(given) {
      answers = [...given]
      said = [0, 0]
    },
    /** Input and output tokens that the answers since then have told. */
    get said() {
      return said
    },
  }
}

/** Keeps every run of every batch by its project, updates merged into it as a server does. */
export async function startRecorder() {
  /** @type {Map<string, Record<string, any>>} */
  const runs = new Map()
  /** @type {{ spans: any[], feedback: any[] }} */
  const others = { spans: [], feedback: [] }
  const put = (run) => runs.set(run.id, { ...runs.get(run.id), ...dropUndefined(run) })
  const server = await listen(async (request, response) => {
    const bytes = await bodyOf(request)
    const path = request.url?.replace(/\?.*/, '')
    response.setHeader('content-type', 'application/json')
    if (path === '/info') {
      const limits = { use_multipart_endpoint: false, scale_up_qsize_trigger: 1000, scale_up_nthreads_limit: 4 }
      response.end(JSON.stringify({ version: '0.14.0', batch_ingest_config: { ...limits, size_limit: 100 } }))
      return
    }
    if (request.method === 'POST' && path === '/runs/batch') {
      const { post = [], patch = [] } = JSON.parse(bytes.toString())
      for (const run of [...post, ...patch]) put(run)
    } else if (request.method === 'POST' && path === '/runs') put(JSON.parse(bytes.toString()))
    else if (request.method === 'PATCH' && path?.startsWith('/runs/'))
      put({ ...JSON.parse(bytes.toString()), id: path.split('/').at(-1) })
    else if (request.method === 'POST' && path === '/feedback') others.feedback.push(JSON.parse(bytes.toString()))
    else if (path === '/otel/v1/traces') others.spans.push(JSON.parse(bytes.toString()))
    else if (path?.startsWith('/runs') || path?.startsWith('/feedback'))
      throw new Error(`Unknown way of logging: ${request.method} ${path}`)
    response.end('{}')
  })
  return {
    ...server,
    /** The runs so far in the order of their start; forgets them. */
    take() {
      const taken = [...runs.values()].sort((a, b) => (String(a.dotted_order) < String(b.dotted_order) ? -1 : 1))
      runs.clear()
      return taken
    },
    /** Requests with spans, and feedback, so far; forgets them. */
    takeOthers() {
      const taken = { ...others }
      Object.assign(others, { spans: [], feedback: [] })
      return taken
    },
    get openCount() {
      return [...runs.values()].filter((run) => !run.end_time).length
    },
    get count() {
      return runs.size + others.spans.length + others.feedback.length
    },
  }
}

const dropUndefined = (run) => Object.fromEntries(Object.entries(run).filter(([, value]) => value !== undefined))
