/**
 * Runs beside an agent server, in a thread of its own: when the platform is gone (kill -9), the process ends, also
 * where a graph's endless loop keeps it from noticing the closed channel.
 */
const WATCH = `
const parent = process.ppid
setInterval(() => { if (process.ppid !== parent) process.kill(process.pid, 'SIGKILL') }, 1000)
`
const START = `
import { Worker } from 'node:worker_threads'
const watch = new Worker(${JSON.stringify(WATCH)}, { eval: true, env: {}, execArgv: [], resourceLimits: { maxOldGenerationSizeMb: 8, maxYoungGenerationSizeMb: 1 } })
watch.unref()
`

/** Arguments for Node that start the watch before anything of the program itself. */
export const WATCHDOG_ARGS = ['--import', `data:text/javascript,${encodeURIComponent(START)}`]
