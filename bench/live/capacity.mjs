// How many runs a second `n` processes of a deployment do on one machine, from what one process costs.

/** What was done and used: runs, and seconds of processor time of agent servers, database, client and other programs. */
/** @typedef {{ runs: number, seconds: number, agents: number, stored: number, client: number, others: number, processors: number }} Use */

const SHARED = /** @type {const} */ (['agents', 'stored'])
/**
 * How often a run pays for sharing. All other processes hear every notice, which costs agent servers; and in (n - 1) / n of all
 * cases a run is read through another process than its own, which costs the database.
 */
const TIMES = { agents: (n) => n - 1, stored: (n) => (n - 1) / n }

/** Milliseconds of processor time per run. */
export const msPerRun = (/** @type {Use} */ use, /** @type {'agents' | 'stored' | 'client'} */ key) =>
  (use[key] * 1000) / use.runs

/**
 * What sharing costs, as a share of what the same costs with one process: from use with one process and with two.
 * @param {Use} one
 * @param {Use} two
 */
export const sharingOf = (one, two) =>
  Object.fromEntries(SHARED.map((key) => [key, (msPerRun(two, key) / msPerRun(one, key) - 1) / TIMES[key](2)]))

/**
 * Runs per second of `n` processes. A process does not use more than it did alone, and all of them share what other programs
 * leave of the machine.
 * @param {Use} one use with one process
 * @param {Record<string, number>} sharing
 */
export function runsPerSecond(one, sharing, n) {
  const cost = { client: msPerRun(one, 'client') }
  for (const key of SHARED) cost[key] = msPerRun(one, key) * (1 + sharing[key] * TIMES[key](n))
  const ofProcesses = (n * one.agents) / one.seconds / cost.agents
  const ofMachine = (one.processors - one.others / one.seconds) / (cost.agents + cost.stored + cost.client)
  return 1000 * Math.min(ofProcesses, ofMachine)
}
