// Whether a row of a bench is as it should be.

const GOAL = /^(<=|>=|<|>|=)?\s*(\d+(?:\.\d+)?)\s*(x\b.*|ms|s)?$/
const COMPARE = {
  '<=': (value, goal) => value <= goal,
  '>=': (value, goal) => value >= goal,
  '<': (value, goal) => value < goal,
  '>': (value, goal) => value > goal,
  '=': (value, goal) => value === goal,
}
/** Counts of what may never happen, by the row's field. */
const NEVER = { lost: 'lost events', doubled: 'doubled events', wrong: 'wrong contents', timed_out: 'time-outs' }

/**
 * What is wrong with a row, in words. A goal with `x`, or a bare one with an operator beside a peer, is for the ratio; all
 * others are for our figure.
 * @param {Record<string, any>} row
 * @returns {string[]}
 */
export function missesOf(row) {
  const misses = Object.entries(NEVER)
    .filter(([field]) => row[field] !== undefined && row[field] !== 0)
    .map(([field, what]) => `${row[field]} ${what}`)
  for (const field of ['completed', 'opened']) {
    const [done, all] = String(row[field] ?? '').split(' of ')
    if (all !== undefined && done !== all) misses.push(`${field} ${row[field]}`)
  }
  if (row.goal === undefined) return misses
  const [, operator = '=', text, unit] = GOAL.exec(row.goal) ?? []
  if (text === undefined) throw new Error(`The goal of ${row.id} cannot be read: ${row.goal}`)
  const isRatio = unit?.startsWith('x') || (unit === undefined && operator !== '=' && row.ratio !== undefined)
  const value = isRatio ? row.ratio : row.ours
  if (typeof value !== 'number' || !Number.isFinite(value)) misses.push(`goal ${row.goal} was not measured`)
  else if (!COMPARE[operator](value, Number(text))) misses.push(`${value} instead of ${row.goal}`)
  return misses
}
