// One run to one viewer through the whole console (permissions, parsing, recording, sending), against nginx and a bare
// Next.js route handler that forward the same events: added latency, headers of a silent upstream, CPU of many streams.
import { byTurns, Exactness, ROUNDS, row, SCALE } from './live/rounds.mjs'
import { sidesOf, startStage, turn } from './live/sides.mjs'

const SECONDS = 3 * SCALE
const HEADERS_WAIT_MS = 1500
const STREAMS = Math.max(4, Math.round(100 * Math.min(1, SCALE)))

/** @returns one row per figure and peer. */
export async function measure() {
  const stage = await startStage({ needsNext: true })
  try {
    return [...(await latency(stage)), ...(await headers(stage)), ...(await many(stage))]
  } finally {
    await stage.end()
  }
}

async function latency(stage) {
  const { nchan: _, ...sides } = sidesOf(stage)
  const rows = []
  for (const [rate, goal] of /** @type {[number, string][]} */ ([
    [25, '<= 1.2 x next'],
    [500, '<= 20 ms'],
  ])) {
    const exact = new Exactness()
    const plan = { rate, events: Math.round(rate * SECONDS) }
    const seen = await byTurns(sides, { read: ({ p50 }) => p50, slack: 0.1 }, async (side) => {
      const one = await turn(stage, side, { plan })
      exact.take(one)
      return one
    })
    // Below a fraction of a millisecond it is noise, and a ratio is meaningless.
    const added = (read) => (figure, figures) => Math.max(0.01, read(figure) - read(figures.direct))
    for (const [peer, name] of [['next', 'next route handler'], ...(sides.nginx ? [['nginx', 'nginx']] : [])]) {
      const isGoal = peer === 'next'
      rows.push(
        row(`relay added p50 at ${rate}/s`, 'ms', seen, {
          peer,
          name,
          of: added(({ p50 }) => p50),
          ...exact.totals,
          ...(isGoal && { goal }),
        }),
      )
      rows.push(
        row(`relay added p99 at ${rate}/s`, 'ms', seen, { peer, name, of: added(({ p99 }) => p99), ...exact.totals }),
      )
    }
  }
  return rows
}

/** Milliseconds until a viewer has its headers while the upstream is silent: one viewer, and ten at the same moment. */
async function headers(stage) {
  const rows = []
  for (const [viewers, times, goal] of /** @type {[number, number, string?][]} */ ([
    [1, 10, '< 50 ms'],
    [10, 1],
  ])) {
    const seen = []
    const opened = { ours: 0, next: 0 }
    for (let turn = 0; turn < times * ROUNDS; turn += 1) {
      const { id } = await stage.console.startRun({ silent: '1' })
      seen.push(...(await headersOf(stage, stage.console.live(id), viewers)))
      // A route handler sends its headers with its first bytes, so each of these waits runs into its timeout.
      if (turn < ROUNDS)
        opened.next += (await headersOf(stage, { url: `${stage.next.url}/flow?silent=1` }, viewers)).length
    }
    opened.ours = seen.length
    seen.sort((a, b) => a - b)
    const p95 = seen[Math.floor(seen.length * 0.95)] // undefined if none came, which is no figure
    const who = viewers === 1 ? 'one viewer alone' : `${viewers} at once`
    rows.push(
      row(
        `relay headers of a silent upstream, p95 of ${who}`,
        'ms',
        { rounds: [{ ours: p95 }] },
        {
          ...(goal && { goal }),
          opened: `${opened.ours} of ${times * ROUNDS * viewers}`,
          peer_name: `next route handler: ${opened.next} of ${ROUNDS * viewers} within ${HEADERS_WAIT_MS} ms`,
        },
      ),
    )
  }
  return rows
}

async function headersOf(stage, stream, viewers) {
  const streams = Array.from({ length: viewers }, () => stream)
  const reading = stage.reader.read(streams, 0, { timeoutMs: HEADERS_WAIT_MS })
  const seen = (await reading.opened).filter((ms) => ms !== undefined && ms !== null)
  reading.stop()
  await reading.result
  return seen
}

async function many(stage) {
  const { nchan: _, ...sides } = sidesOf(stage, { runs: STREAMS })
  const exact = new Exactness()
  const plan = { rate: 25, events: Math.round(25 * (SECONDS + SCALE)) }
  for (const side of Object.values(sides)) await turn(stage, side, { plan, viewers: STREAMS })
  const seen = await byTurns(sides, { read: ({ cpu }) => cpu, slack: 0.05 }, async (side) => {
    const one = await turn(stage, side, { plan, viewers: STREAMS })
    exact.take(one)
    return one
  })
  // Only the relaying processes, without the upstream, whose part the direct side shows.
  const of = ({ cpu, events }, { direct }) => Math.max(0.001, cpu - direct.cpu) * (1e6 / events)
  return [
    ['nginx', 'nginx', '<= 2.5'],
    ['next', 'next route handler', '<= 1'],
  ]
    .filter(([peer]) => sides[peer])
    .map(([peer, name, goal]) =>
      row(`relay CPU of ${STREAMS} streams x 25/s`, 'us/event', seen, { peer, name, of, goal, ...exact.totals }),
    )
}
