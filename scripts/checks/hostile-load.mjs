// Hostile clients against a started production console: bodies without end, slow ones, broken ones. Prints the console's
// memory, how /healthz answers meanwhile and whether a live viewer loses anything; exits 1 where a goal is missed.
// `node scripts/checks/hostile-load.mjs [clients] [seconds]`

import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { scriptedConsole } from './scripted-console.mjs'
import { pour, requestHead } from './servers/pour.mjs'

const CLIENTS = Number(process.argv[2] ?? 200)
const SECONDS = Number(process.argv[3] ?? 60)
const MB = 1024 * 1024
/** Pages read before the idle memory is taken. */
const VIEWS = 300
/** Goals. */
const MOST_RSS = 1.3
const MOST_MS = 250

const console_ = await scriptedConsole()
const { url, cookies } = console_.console
const port = Number(new URL(url).port)
const cookie = { cookie: cookies.header, origin: url }
const rss = () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${console_.pid()}/status`, 'utf8'))?.[1]) / 1024

/** Asks from a thread of its own, which the hostile clients do not keep busy. Gives the times in milliseconds, sorted. */
const timeHealth = (seconds) =>
  new Promise((resolve, reject) => {
    const ask = `const { parentPort } = require('node:worker_threads')
      const end = Date.now() + ${seconds * 1000}
      const times = []
      const one = async () => {
        const began = performance.now()
        await (await fetch('${url}/healthz')).text()
        times.push(performance.now() - began)
        if (Date.now() < end) setTimeout(one, 100)
        else parentPort.postMessage(times.sort((a, b) => a - b))
      }
      one()`
    new Worker(ask, { eval: true }).once('message', resolve).once('error', reject)
  })

/** Sends the start of a request, then a byte now and then. */
const trickle = async (head, until) => {
  const socket = connect(port, '127.0.0.1').on('error', () => {})
  socket.write(head)
  while (Date.now() < until && !socket.destroyed) {
    await sleep(500)
    socket.write('a')
  }
  socket.destroy()
}
const json = { 'content-type': 'application/json' }
const action = { 'next-action': 'a'.repeat(42), 'content-type': 'text/plain' }
const deep = '['.repeat(60_000)
const attacks = [
  () => pour(port, 'POST /api/auth/callback/credentials', {}, 300 * MB),
  () => pour(port, 'POST /api/live', { ...json, ...cookie }, 200 * MB),
  () => pour(port, 'POST /default/deployments', { ...action, ...cookie }, 200 * MB),
  () => pour(port, 'POST /api/relay/default/control-plane/v2/deployments', json, 200 * MB),
  (until) => trickle(requestHead('POST /default', { ...action, ...cookie, 'content-length': 8 * MB }), until),
  (until) => trickle('GET / HTTP/1.1\r\nx: ', until),
  () => fetch(`${url}/default`, { method: 'POST', headers: { ...action, ...cookie }, body: deep }),
]

try {
  // A console that nobody has used yet holds less than any console in use.
  const pages = ['deployments', 'runs', 'inbox', 'audit', 'settings']
  for (let i = 0; i < VIEWS; i++)
    await (await fetch(`${url}/default/${pages[i % pages.length]}`, { headers: cookie })).text()
  await sleep(3000)
  const idle = rss()
  const { recording, run } = await console_.startRun('watched')
  const entries = []
  const stop = console_.follow(recording, (more) => entries.push(...more))
  await console_.until(() => entries.length > 0)

  const end = Date.now() + SECONDS * 1000
  let requests = 0
  const hostile = Array.from({ length: CLIENTS }, async (_, index) => {
    while (Date.now() < end) {
      const response = await attacks[index % attacks.length](end).catch(() => undefined)
      if (response instanceof Response) await response.text().catch(() => '')
      requests += 1
    }
  })
  let most = idle
  const health = timeHealth(SECONDS)
  const watch = (async () => {
    while (Date.now() < end) {
      most = Math.max(most, rss())
      await sleep(100)
    }
  })()
  let sent = 0
  while (Date.now() < end) {
    run.emit('custom', { n: ++sent })
    await sleep(50)
  }
  await Promise.all([...hostile, watch])
  run.finish()
  await console_.until(() => entries.at(-1)?.kind === 'final')
  stop()

  const seen = entries.flatMap((one) =>
    one.kind === 'event' && one.event === 'custom' ? [JSON.parse(one.data).n] : [],
  )
  const isWhole = seen.length === sent && seen.every((n, index) => n === index + 1)
  const times = await health
  const p99 = times[Math.floor(times.length * 0.99)]
  console.log(`${CLIENTS} hostile clients, ${SECONDS} s, ${requests} requests`)
  console.log(
    `memory: ${idle.toFixed(0)} MB idle after ${VIEWS} page views, ${most.toFixed(0)} MB at most (${(most / idle).toFixed(2)} ×; goal ${MOST_RSS})`,
  )
  console.log(`/healthz: p50 ${times[times.length >> 1].toFixed(0)} ms, p99 ${p99.toFixed(0)} ms (goal ${MOST_MS})`)
  console.log(`live viewer: ${seen.length} of ${sent} events, ${isWhole ? 'complete and in order' : 'NOT COMPLETE'}`)
  if (!isWhole || most / idle > MOST_RSS || p99 > MOST_MS) process.exitCode = 1
} finally {
  await console_.stop()
}
