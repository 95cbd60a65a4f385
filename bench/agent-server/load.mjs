// The bench's requests to an agent server, over the documented HTTP interface only, the same for both.
import { readFileSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import { Agent, request } from 'undici'
import { createRandom } from '../../platform/testing/chaos-journey.mjs'

const dispatcher = new Agent({ connections: 200, headersTimeout: 0, bodyTimeout: 0 })
const headers = { 'content-type': 'application/json' }

/** The parsed response; throws unless it is a success. */
export async function ask(server, method, path, body) {
  const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body)
  const response = await request(`${server.url}${path}`, {
    method,
    headers: { ...headers, ...server.headers },
    dispatcher,
    body: text,
  })
  const said = await response.body.text()
  if (response.statusCode >= 300) throw new Error(`${method} ${path}: ${response.statusCode} ${said.slice(0, 300)}`)
  return said === '' ? undefined : JSON.parse(said)
}

export const newThread = async (server, metadata = {}) =>
  (await ask(server, 'POST', '/threads', { metadata })).thread_id

/**
 * Reads a run's stream to its end. Returns the number of custom events, and milliseconds to the first byte and to the
 * last event.
 */
export async function streamRun(server, thread, body) {
  const began = performance.now()
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const path = `${server.url}/threads/${thread}/runs/stream`
  const response = await request(path, {
    method: 'POST',
    headers: { ...headers, ...server.headers },
    dispatcher,
    body: text,
  })
  if (response.statusCode !== 200) throw new Error(`${path}: ${response.statusCode} ${await response.body.text()}`)
  const name = 'event: custom\n'
  let tail = ''
  const seen = { events: 0, firstMs: 0, lastMs: 0, hasFailed: false }
  for await (const chunk of response.body) {
    seen.firstMs ||= performance.now() - began
    const piece = tail + chunk.toString('latin1')
    const before = seen.events
    for (let at = piece.indexOf(name); at >= 0; at = piece.indexOf(name, at + name.length)) seen.events += 1
    if (piece.includes('event: error')) seen.hasFailed = true
    if (seen.events > before) seen.lastMs = performance.now() - began
    // An event name that was cut in two is counted with the next chunk.
    const cut = piece.lastIndexOf('event: ')
    tail =
      cut >= 0 && piece.length - cut < name.length
        ? piece.slice(cut)
        : piece.slice(Math.max(piece.lastIndexOf('\n'), piece.length - 6))
  }
  if (seen.hasFailed) throw new Error(`${path}: the run failed`)
  return seen
}

const PROBE = `
const { parentPort, workerData: url } = require('node:worker_threads')
const http = require('node:http')
const agent = new http.Agent({ keepAlive: true, maxSockets: 1 })
let longest = 0
let isOver = false
parentPort.on('message', () => { isOver = true })
const look = (began = performance.now()) => {
  http.get(url, { agent }, (response) => response.resume().on('end', () => {
    longest = Math.max(longest, performance.now() - began)
    if (isOver) { parentPort.postMessage(longest); agent.destroy(); parentPort.close() }
    else setTimeout(look, 5)
  })).on('error', () => look(began)) // a server that stalls cuts idle connections: the same wait goes on
}
look()`

/** Requests `/ok` repeatedly from a separate thread. `stop` returns the longest response time in milliseconds. */
export function watchOk(server) {
  const worker = new Worker(PROBE, { eval: true, workerData: `${server.url}/ok` })
  return {
    stop: () =>
      new Promise((resolve, reject) => {
        worker.once('message', resolve)
        worker.once('error', reject)
        worker.postMessage('stop')
      }),
  }
}

const status = (pid, file, pattern) => Number(pattern.exec(readFileSync(`/proc/${pid}/${file}`, 'utf8'))?.[1])
export const memoryMb = (pid) => status(pid, 'status', /VmRSS:\s+(\d+)/) / 1024
export const peakMb = (pid) => status(pid, 'status', /VmHWM:\s+(\d+)/) / 1024
/** Bytes that the process has written, to files and sockets. */
export const writtenBytes = (pid) => status(pid, 'io', /wchar: (\d+)/)

/** Meaningless documents, the same in every run and about as compressible as prose; `bytes` of JSON. */
export function makeDocuments(bytes) {
  const next = createRandom(1)
  const random = (below) => Math.floor(next() * below)
  const word = () => Array.from({ length: 2 + random(9) }, () => String.fromCharCode(97 + random(26))).join('')
  const words = Array.from({ length: 4000 }, word)
  const made = []
  for (let size = 0; size < bytes; ) {
    const text = Array.from({ length: 150 }, () => words[random(words.length)]).join(' ')
    made.push({ id: made.length, title: words[random(words.length)], score: random(1000), text })
    size += JSON.stringify(made.at(-1)).length + 1
  }
  return made
}
