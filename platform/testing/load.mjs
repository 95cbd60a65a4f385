// Load on one deployment that runs the ticker: requests at a steady rate, and streams that are always open.

import { Agent, request as send } from 'undici'

/** Most requests and streams at a time. */
const MOST_OPEN = 400

/**
 * `longest` is the most events that one stream has, 20 a second; 99 unless said otherwise.
 * @typedef {{ base: string, apiKey: string, rate: number, streams: number, longest?: number }} LoadOptions
 */

/**
 * Begins the load. `stop` lets every stream and request come to its end and gives the figures.
 * @param {LoadOptions} options
 */
export function startLoad({ base, apiKey, rate, streams, longest = 99 }) {
  const figures = { requests: 0, failed: 0, streams: 0, cut: 0, events: 0, lost: 0, doubled: 0 }
  /** @type {Record<string, number>} Responses by the revision that gave them. */
  const revisions = {}
  /** @type {string[]} */
  const failures = []
  /** @type {number[]} */
  const latencies = []
  const began = performance.now()
  let isOver = false

  // Not `fetch`, which takes several times as much CPU from the system under test.
  const connections = new Agent({ headersTimeout: 0, bodyTimeout: 0 })
  /** @type {(method: import('undici').Dispatcher.HttpMethod, path: string, body?: object, headers?: Record<string, string>) => Promise<any>} */
  const ask = async (method, path, body, headers = {}) => {
    const response = await send(base + path, {
      dispatcher: connections,
      method,
      headers: { 'x-api-key': apiKey, ...(body && { 'content-type': 'application/json' }), ...headers },
      body: body && JSON.stringify(body),
    })
    return {
      status: response.statusCode,
      ok: response.statusCode < 300,
      text: () => response.body.text(),
      json: () => response.body.json(),
    }
  }
  const fail = (what) =>
    failures.length < 20 && failures.push(`${((performance.now() - began) / 1000).toFixed(2)} s: ${what}`)

  let threadId
  const kinds = [
    () => ask('GET', '/info'),
    () => ask('POST', '/assistants/search', { limit: 5 }),
    () => ask('GET', '/ok'),
    () => ask('POST', '/threads', { metadata: { of: 'load' } }),
    () => (threadId ? ask('GET', `/threads/${threadId}`) : ask('GET', '/ok')),
    () => ask('GET', '/assistants/ticker/schemas'),
  ]
  async function request(number) {
    const at = performance.now()
    figures.requests += 1
    try {
      // Every fortieth is a whole run: created, executed and read across the switch.
      const isRun = number % 40 === 7
      const response = await (isRun
        ? ask('POST', '/runs/wait', { assistant_id: 'ticker', input: { events: 2, ms: 5 } })
        : kinds[number % kinds.length]())
      const text = await response.text()
      const result = JSON.parse(text)
      if (!response.ok || result.__error__) throw new Error(`${response.status} ${text.slice(0, 200)}`)
      if (isRun && result.done !== 1) throw new Error(`a run returned ${text.slice(0, 200)}`)
      if (result.thread_id) threadId = result.thread_id
      const revision = result.revision ?? result.metadata?.revision
      if (revision) revisions[revision] = (revisions[revision] ?? 0) + 1
      latencies.push(performance.now() - at)
    } catch (error) {
      figures.failed += 1
      fail(`request ${number}: ${error.message} ${error.cause?.message ?? ''}`)
    }
  }

  /** One run after another, each read to its end: every number once, ids ascending. */
  async function stream(place) {
    for (let round = 0; !isOver; round += 1) {
      const events = 20 + ((place * 37 + round * 61) % (longest - 19))
      figures.streams += 1
      try {
        const input = { events, ms: 50 }
        let response
        if (place % 2) {
          // Created by one request and read by another, which may reach another process.
          const thread = await (await ask('POST', '/threads', {})).json()
          const runs = `/threads/${thread.thread_id}/runs`
          const run = await (
            await ask('POST', runs, { assistant_id: 'ticker', input, stream_mode: ['custom'], stream_resumable: true })
          ).json()
          response = await ask('GET', `${runs}/${run.run_id}/stream`, undefined, { 'last-event-id': '-1' })
        } else response = await ask('POST', '/runs/stream', { assistant_id: 'ticker', input, stream_mode: ['custom'] })
        if (!response.ok) throw new Error(`${response.status} ${await response.text()}`)
        count(await response.text(), events, `stream ${place}/${round}`)
      } catch (error) {
        figures.cut += 1
        fail(`stream ${place}/${round}: ${error.message} ${error.cause?.message ?? ''}`)
      }
    }
  }

  function count(text, wanted, name) {
    const seen = new Map()
    let [lastId, hasEnd] = [-1, false]
    for (const block of text.split('\n\n')) {
      const field = (key) => new RegExp(`^${key}: (.*)$`, 'm').exec(block)?.[1]
      const [id, event] = [Number(field('id')), field('event')]
      if (!event) continue
      figures.events += 1
      if (id <= lastId) fail(`${name}: id ${id} after ${lastId}`)
      if (id <= lastId) figures.doubled += 1
      lastId = id
      if (event === 'end') hasEnd = JSON.parse(field('data') ?? 'null').status === 'success'
      if (event !== 'custom') continue
      const { n } = JSON.parse(field('data') ?? 'null')
      seen.set(n, (seen.get(n) ?? 0) + 1)
    }
    const doubled = [...seen.values()].filter((times) => times > 1).length
    const lost = wanted - seen.size + (hasEnd ? 0 : 1)
    figures.doubled += doubled
    figures.lost += lost
    if (doubled || lost) fail(`${name}: ${doubled} doubled and ${lost} lost of ${wanted}`)
  }

  const open = new Set()
  const follow = (work) => {
    const followed = work.finally(() => open.delete(followed))
    open.add(followed)
  }
  for (let place = 0; place < streams; place += 1) follow(stream(place))
  let sent = 0
  const timer = setInterval(() => {
    // On a busy machine requests are late or dropped; the figures include the actual rate.
    for (const due = ((performance.now() - began) / 1000) * rate; sent < due && open.size < MOST_OPEN; sent += 1)
      follow(request(sent))
  }, 5)

  return {
    figures,
    revisions,
    stop: async () => {
      const seconds = (performance.now() - began) / 1000
      clearInterval(timer)
      isOver = true
      while (open.size) await Promise.all(open)
      await connections.close()
      latencies.sort((a, b) => a - b)
      const at = (share) => Math.round(latencies[Math.floor(latencies.length * share)] ?? 0)
      return {
        ...figures,
        failures,
        rate: Math.round(figures.requests / seconds),
        latencyMs: { median: at(0.5), p99: at(0.99), longest: Math.round(latencies.at(-1) ?? 0) },
      }
    },
  }
}
