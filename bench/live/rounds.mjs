// Rounds in which every side has a turn, and the resulting rows.

import { watchStolen } from './stolen.mjs'

export const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5)
/** Multiplies how long a side is measured; use a small one to try the bench itself. */
export const SCALE = Number(process.env.BENCH_SCALE ?? 1)
const SHIFT = 0.25
const STOLEN = 0.1

/** The middle of the values; undefined of none. Throws for what is no number, which would sort anywhere. */
export function median(values) {
  if (values.some((value) => Number.isNaN(value))) throw new Error('A figure of a bench is not a number.')
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]
}
const short = (value) => (Number.isFinite(value) ? Number(value.toPrecision(4)) : null)

/**
 * Measures all sides alternately until `count` rounds are quiet or twice as many are measured; returns `{ rounds: [{
 * side: figure }], left, stolen }`, with the number of rounds left out and the largest stolen share. A disturbed round
 * (more than a tenth of CPU stolen, or an unstable `canary`) is left out as long as three others remain.
 */
export async function byTurns(
  sides,
  { count = ROUNDS, canary = 'direct', read = (figure) => figure, slack = 0 },
  work,
) {
  const names = Object.keys(sides)
  const all = []
  const quiet = () => all.filter(({ stolen }) => stolen <= STOLEN)
  for (let round = 0; round < 2 * count && quiet().length < count; round += 1) {
    const stolen = watchStolen()
    const figures = {}
    for (let turn = 0; turn < names.length; turn += 1) {
      const name = names[(turn + round) % names.length]
      figures[name] = await work(sides[name], name)
    }
    all.push({ figures, stolen: stolen() })
  }
  const enough = (rounds) => rounds.length >= Math.min(3, count)
  let kept = enough(quiet()) ? quiet() : all
  if (names.includes(canary)) {
    const shown = ({ figures }) => read(figures[canary])
    const usual = median(kept.map(shown))
    const still = kept.filter((round) => Math.abs(shown(round) - usual) <= Math.max(usual * SHIFT, slack))
    if (enough(still)) kept = still
  }
  return {
    rounds: kept.map(({ figures }) => figures),
    left: all.length - kept.length,
    stolen: Math.max(...kept.map(({ stolen }) => stolen)),
  }
}

/**
 * One row: medians of both sides, and median, least and most of the ratio round by round.
 * @param {string} id
 * @param {string} unit
 * @param {{ rounds: any[], left?: number, stolen?: number }} measured
 * @param {{ ours?: string, peer?: string, name?: string, of?: (figure: any, figures: any) => number, [more: string]: any }} options
 */
export function row(
  id,
  unit,
  { rounds, left = 0, stolen },
  { ours = 'ours', peer, name = peer, of = (figure) => figure, ...more },
) {
  const mine = rounds.map((figures) => of(figures[ours], figures))
  const theirs = peer ? rounds.map((figures) => of(figures[peer], figures)) : []
  const ratios = mine.map((value, index) => value / theirs[index]).filter((ratio) => !Number.isNaN(ratio)) // of nothing to nothing
  /** @type {Record<string, unknown>} */
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
    ...(stolen !== undefined && { stolen_percent: Math.round(stolen * 100) }),
    ...more,
  }
  const than = peer ? `, ${made.peer} of ${name}, ratio ${made.ratio} [${made.min}..${made.max}]` : ''
  const goal = made.goal ? ` (goal ${made.goal})` : ''
  console.error(`[bench] ${id}: ${made.ours} ${unit}${than}${goal}`)
  return made
}

/** Adds up lost, repeated and damaged events over all rounds of a suite, and rows that were drawn wrongly. */
export class Exactness {
  lost = 0
  doubled = 0
  wrong = 0
  take({ lost, doubled, damaged, wrong = 0 }) {
    this.lost += lost + damaged
    this.doubled += doubled
    this.wrong += wrong
  }
  get totals() {
    return { lost: this.lost, doubled: this.doubled, ...(this.wrong > 0 && { wrong: this.wrong }) }
  }
}
