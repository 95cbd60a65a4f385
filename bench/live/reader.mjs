// The viewers of the live benches, in a separate process so that their cost does not count. Each job opens streams,
// reports when all have their headers, and reads each to its last event.
import { setMaxListeners } from 'node:events'
import http from 'node:http'
import { Tally } from './events.mjs'

const agent = new http.Agent({ keepAlive: false, maxSockets: Infinity })

function follow({ url, method = 'GET', headers = {}, body }, { events, bytes }, signal) {
  const tally = new Tally(bytes)
  const began = performance.now()
  let onHeaders
  const opened = new Promise((resolve) => {
    onHeaders = resolve
  })
  const ended = new Promise((resolve) => {
    const finish = (why) => {
      request.destroy()
      onHeaders(undefined)
      resolve({ ...tally, latencies: tally.latencies, ms: performance.now() - began, why })
    }
    const request = http.request(url, { method, headers, agent }, (response) => {
      onHeaders(response.statusCode === 200 ? performance.now() - began : undefined)
      if (response.statusCode !== 200) return finish(`status ${response.statusCode}`)
      response.setEncoding('latin1')
      response.on('data', (text) => {
        tally.take(text)
        if (events > 0 && tally.last >= events) finish('done')
      })
      response.on('end', () => finish('end'))
      response.on('error', () => finish('broken'))
    })
    request.on('error', () => finish('refused'))
    signal.addEventListener('abort', () => finish('stopped'))
    request.end(body)
  })
  return { opened, ended }
}

const jobs = new Map()
process.on('message', async ({ id, stop, streams, events, bytes, timeoutMs }) => {
  if (stop) return jobs.get(id)?.abort()
  const controller = new AbortController()
  setMaxListeners(0, controller.signal)
  const timer = setTimeout(() => controller.abort(), timeoutMs)
  jobs.set(id, controller)
  const followed = streams.map((one) => follow(one, { events, bytes }, controller.signal))
  process.send?.({ id, opened: await Promise.all(followed.map((one) => one.opened)) })
  const seen = await Promise.all(followed.map((one) => one.ended))
  clearTimeout(timer)
  jobs.delete(id)
  const latencies = seen.flatMap((one) => one.latencies).sort((a, b) => a - b)
  const at = (share) => (latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * share))] ?? 0) / 1000
  const sum = (read) => seen.reduce((total, one) => total + read(one), 0)
  process.send?.({
    id,
    result: {
      events: sum((one) => one.events),
      // What never arrived is lost too.
      lost: sum((one) => one.lost + (events > 0 ? Math.max(0, events - one.last) : 0)),
      doubled: sum((one) => one.doubled),
      damaged: sum((one) => one.damaged),
      completed: seen.filter((one) => events > 0 && one.last >= events).length,
      p50: at(0.5),
      p99: at(0.99),
      ms: seen.map((one) => one.ms),
      why: [...new Set(seen.map((one) => one.why))].join(', '),
    },
  })
})
process.on('disconnect', () => process.exit())
process.send?.({ url: 'ready' })
