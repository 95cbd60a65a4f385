// One run watched by many: CPU per delivered event (all processes of a side, including the upstream), against nginx
// with an upstream stream per viewer and nchan with a single publisher; and the number of upstream connections.
import { byTurns, Exactness, median, ROUNDS, row, SCALE } from './live/rounds.mjs'
import { sidesOf, startStage, turn } from './live/sides.mjs'

const VIEWERS = 40
/** Events per second. The goals are for the fastest, where the cost of a side is not that of its timers. */
const RATES = [25, 50, 100, 500]
const SECONDS = 8 * SCALE
const CROWDS = [1, 10, 40, 100, 250]

/** @returns one row for each peer and each number of viewers. */
export async function measure() {
  const stage = await startStage()
  try {
    const rows = []
    for (const rate of RATES) rows.push(...(await cost(stage, rate)))
    return [...rows, ...(await connections(stage))]
  } finally {
    await stage.end()
  }
}

async function cost(stage, rate) {
  const sides = sidesOf(stage)
  const exact = new Exactness()
  const isFastest = rate === Math.max(...RATES)
  const plan = { rate, events: Math.round(rate * SECONDS) }
  // JavaScript programs, including the upstream, are compiled in their first seconds.
  for (const side of Object.values(sides)) await turn(stage, side, { plan, viewers: VIEWERS })
  const seen = await byTurns(
    sides,
    { read: ({ cpu }) => cpu, slack: 0.05, count: isFastest ? ROUNDS : Math.min(ROUNDS, 2) },
    async (side) => {
      const one = await turn(stage, side, { plan, viewers: VIEWERS })
      exact.take(one)
      return one
    },
  )
  const of = ({ cpu, events }) => (cpu * 1e6) / events
  const upstreamOf = (side) =>
    Number(median(seen.rounds.map((round) => (round[side].upstreamCpu * 1e6) / round[side].events)).toPrecision(3))
  /** @type {[string, string?][]} */
  const peers = [['nginx', '<= 0.33'], ['nchan', '<= 0.8'], ['direct']]
  return peers
    .filter(([peer]) => sides[peer])
    .map(([peer, goal]) =>
      row(`fanout CPU, ${VIEWERS} viewers x ${rate}/s`, 'us/delivered event', seen, {
        peer,
        of,
        ...(goal && isFastest && { goal }),
        upstream_us: upstreamOf('ours'),
        peer_upstream_us: upstreamOf(peer),
        ...exact.totals,
      }),
    )
}

/** A single process serves all viewers of a run from one upstream stream. */
async function connections(stage) {
  const { nginx, ours } = sidesOf(stage)
  const rows = []
  for (const viewers of CROWDS) {
    const exact = new Exactness()
    const plan = { rate: 50, events: Math.round(100 * SCALE) }
    const look = async (side) => {
      const before = (await stage.upstream.stats()).opened
      const one = await turn(stage, side, { plan, viewers })
      exact.take(one)
      return { ...one, connections: (await stage.upstream.stats()).opened - before }
    }
    const seen = await byTurns({ ours, ...(nginx && { nginx }) }, { count: Math.min(ROUNDS, 2) }, look)
    rows.push(
      row(`fanout upstream connections, ${viewers} viewers`, 'connections', seen, {
        ...(nginx && { peer: 'nginx' }),
        of: (figure) => figure.connections,
        goal: '1',
        cpu_us: Math.round((seen.rounds[0].ours.cpu * 1e6) / seen.rounds[0].ours.events),
        ...(nginx && { peer_cpu_us: Math.round((seen.rounds[0].nginx.cpu * 1e6) / seen.rounds[0].nginx.events) }),
        ...exact.totals,
      }),
    )
  }
  return rows
}
