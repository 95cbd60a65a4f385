// Rounds in which every side has its turn, and the rows that come of them.

export const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5)
/** Multiplies how long a side is measured; small for trying the bench itself. */
export const SCALE = Number(process.env.BENCH_SCALE ?? 1)
const SHIFT = 0.25

export const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]
const short = (value) => (Number.isFinite(value) ? Number(value.toPrecision(4)) : null)

/**
 * Measures all sides by turns, `count` rounds, the order turned round by round. `canary` is the side that none of ours is
 * part of: a round in which `read(canary)` moved by more than a quarter of its median (and more than `slack`) was disturbed
 * and is left out, as long as three rounds remain. Gives `{ rounds: [{ side: figure }], left }`.
 */
export async function byTurns(
  sides,
  { count = ROUNDS, canary = 'direct', read = (figure) => figure, slack = 0 },
  work,
) {
  const names = Object.keys(sides)
  const rounds = []
  for (let round = 0; round < count; round += 1) {
    const figures = {}
    for (let turn = 0; turn < names.length; turn += 1) {
      const name = names[(turn + round) % names.length]
      figures[name] = await work(sides[name], name)
    }
    rounds.push(figures)
  }
  if (!names.includes(canary)) return { rounds, left: 0 }
  const usual = median(rounds.map((figures) => read(figures[canary])))
  const shiftOf = (figures) => Math.abs(read(figures[canary]) - usual)
  const kept = rounds.filter((figures) => shiftOf(figures) <= Math.max(usual * SHIFT, slack))
  return kept.length >= Math.min(3, count) ? { rounds: kept, left: rounds.length - kept.length } : { rounds, left: 0 }
}

/** One row: medians of both sides, and median, least and most of the ratio round by round. */
export function row(
  id,
  unit,
  { rounds, left = 0 },
  { ours = 'ours', peer, name = peer, of = (figure) => figure, ...more },
) {
  const mine = rounds.map((figures) => of(figures[ours], figures))
  const theirs = peer && rounds.map((figures) => of(figures[peer], figures))
  const ratios = theirs && mine.map((value, index) => value / theirs[index])
  const made = {
    id,
    ours: short(median(mine)),
    ...(peer && {
      peer: short(median(theirs)),
      peer_name: name,
      ratio: short(median(ratios)),
      min: short(Math.min(...ratios)),
      max: short(Math.max(...ratios)),
    }),
    unit,
    rounds: rounds.length,
    ...(left > 0 && { left_out: left }),
    ...more,
  }
  const than = peer ? `, ${made.peer} of ${name}, ratio ${made.ratio} [${made.min}..${made.max}]` : ''
  const goal = made.goal ? ` (goal ${made.goal})` : ''
  console.error(`[bench] ${id}: ${made.ours} ${unit}${than}${goal}`)
  return made
}

/** Adds up what readers lost, had twice or got damaged, over all of a suite's rounds. */
export class Exactness {
  lost = 0
  doubled = 0
  take({ lost, doubled, damaged }) {
    this.lost += lost + damaged
    this.doubled += doubled
  }
  get totals() {
    return { lost: this.lost, doubled: this.doubled }
  }
}
