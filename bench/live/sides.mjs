// The ways from the upstream to a viewer, all measured alike: each opens its streams, waits at the gate, and is read to
// the end.

import { startNextApp } from '../next-app.mjs'
import { startConsole } from './console.mjs'
import { cpuSeconds, startNginx, startReader, startUpstream } from './processes.mjs'

const PASS = `export const dynamic = 'force-dynamic'
export async function GET(request) {
  const { search } = new URL(request.url)
  const upstream = await fetch(process.env.UPSTREAM + '/flow' + search, { signal: request.signal, cache: 'no-store' })
  return new Response(upstream.body, {
    headers: { 'content-type': 'text/event-stream', 'cache-control': 'no-store, no-transform' },
  })
}
`

let gates = 0

/** Starts everything that a suite needs; `end()` stops it all. */
export async function startStage({ needsNext = false, needsNginx = true } = {}) {
  const started = []
  const end = async () => {
    for (const one of started.toReversed()) await one.end()
  }
  const add = async (starting) => {
    const one = await starting
    if (one) started.push(one)
    return one
  }
  try {
    const upstream = await add(startUpstream())
    const reader = await add(startReader())
    const nginx = needsNginx ? await add(startNginx(upstream)) : undefined
    const next = needsNext
      ? await add(startNextApp({ 'app/flow/route.js': PASS }, { UPSTREAM: upstream.url }))
      : undefined
    const console_ = await add(startConsole(upstream))
    return { upstream, reader, nginx, next, console: console_, end }
  } catch (error) {
    await end()
    throw error
  }
}

const queryOf = (plan) => new URLSearchParams(plan).toString()

/** A side on which each viewer has its own upstream stream. */
const flowSide = (stage, server) => ({
  pids: [stage.upstream.pid, ...(server === stage.upstream ? [] : [server.pid])],
  open: async (plan, viewers) =>
    Array.from({ length: viewers }, () => ({ url: `${server.url}/flow?${queryOf(plan)}` })),
})

/** The sides of a suite by name. Ours records `runs` runs, divided evenly among the viewers. */
export function sidesOf(stage, { runs = 1 } = {}) {
  const { upstream, nginx, next, console: ours } = stage
  return {
    direct: flowSide(stage, upstream),
    ...(nginx && { nginx: flowSide(stage, nginx) }),
    ...(next && { next: flowSide(stage, next) }),
    ...(nginx?.hasNchan && {
      nchan: {
        pids: [upstream.pid, nginx.pid],
        // It publishes once the gate opens, when all viewers are connected.
        open: async (plan, viewers) => {
          const channel = `c${++gates}`
          const at = `${nginx.url.replace('http', 'ws')}/publish/${channel}`
          await upstream.ask(`publish?${queryOf({ ...plan, url: at })}`)
          return Array.from({ length: viewers }, () => ({
            url: `${nginx.url}/subscribe/${channel}`,
            headers: { accept: 'text/event-stream' },
          }))
        },
      },
    }),
    ours: {
      pids: [upstream.pid, ours.pid],
      open: async (plan, viewers) => {
        const ids = []
        while (ids.length < runs) {
          const some = Array.from({ length: Math.min(10, runs - ids.length) }, () => ours.startRun(plan))
          ids.push(...(await Promise.all(some)).map(({ id }) => id))
        }
        return Array.from({ length: viewers }, (_, index) => ours.live(ids[index % runs]))
      },
    },
  }
}

/**
 * One turn of a side: opens everything, then releases the events. Returns the reader's result with `cpu`: seconds of
 * all the side's processes from the first event to the last, and `upstreamCpu`: the share of the bench's own upstream.
 */
export async function turn(stage, side, { plan, viewers = 1 }) {
  const gate = `g${++gates}`
  const given = Object.fromEntries(Object.entries({ ...plan, gate }).map(([key, value]) => [key, String(value)]))
  const streams = await side.open(given, viewers)
  const { opened, result } = stage.reader.read(streams, plan.events)
  const headersMs = await opened
  // What opening left behind must not be measured.
  await new Promise((resolve) => setTimeout(resolve, 300))
  const before = cpuSeconds(side.pids)
  const upstreamBefore = cpuSeconds([stage.upstream.pid])
  await stage.upstream.release(gate)
  const seen = await result
  const upstreamCpu = cpuSeconds([stage.upstream.pid]) - upstreamBefore
  return { ...seen, headersMs, cpu: cpuSeconds(side.pids) - before, upstreamCpu }
}
