// Joining late: a run's whole history to one and to twenty simultaneous viewers, against as many new streams of the
// same events directly from the upstream, which writes each event separately.
import { setTimeout as sleep } from 'node:timers/promises'
import { byTurns, Exactness, ROUNDS, row, SCALE } from './live/rounds.mjs'
import { startStage } from './live/sides.mjs'

const HISTORIES = [50_000, 200_000].map((events) => Math.round(events * SCALE))
const CROWDS = [1, 20]
const TIMEOUT_MS = 180_000

/** @returns one row for each history and number of joiners. */
export async function measure() {
  const stage = await startStage({ needsNginx: false })
  try {
    const rows = []
    for (const events of HISTORIES) rows.push(...(await joins(stage, events)))
    return rows
  } finally {
    await stage.end()
  }
}

/** A turn of a twentieth of a second scatters by half, so it is taken three times as often; one of seconds twice only. */
function roundsOf(events) {
  if (events > 1_000_000) return Math.min(2, ROUNDS)
  return events > 100_000 ? ROUNDS : 3 * ROUNDS
}

async function joins(stage, events) {
  const { id } = await stage.console.startRun({ events: String(events), open: '1' })
  const whole = stage.reader.read([stage.console.live(id)], events, { timeoutMs: TIMEOUT_MS })
  if ((await whole.result).completed !== 1) throw new Error('The history was not recorded whole.')
  await sleep(1000) // it is stored by then too
  const sides = {
    direct: { url: `${stage.upstream.url}/flow?events=${events}` },
    ours: stage.console.live(id),
  }
  const rows = []
  for (const joiners of CROWDS) {
    const exact = new Exactness()
    let completed = 0
    const count = roundsOf(events * joiners)
    const seen = await byTurns(sides, { count, read: ({ lastMs }) => lastMs, slack: 50 }, async (side, name) => {
      const streams = Array.from({ length: joiners }, () => side)
      const one = await stage.reader.read(streams, events, { timeoutMs: TIMEOUT_MS }).result
      if (name === 'ours') {
        completed += one.completed
        exact.take(one)
      }
      return { ...one, lastMs: Math.max(...one.ms) }
    })
    rows.push(
      row(`join ${events} events, ${joiners} at once`, 'ms to the last event', seen, {
        peer: 'direct',
        name: 'fresh direct streams',
        of: ({ lastMs }) => lastMs,
        goal: '<= 0.2',
        completed: `${completed} of ${(seen.rounds.length + seen.left) * joiners}`,
        ...exact.totals,
      }),
    )
  }
  return rows
}
