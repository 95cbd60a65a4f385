// Starts the programs of Pilothouse and ends them together: when one ends, on a signal, or with the parent.
import { spawn } from 'node:child_process'
import { cleanEnv, root } from '../bootstrap.mjs'
import { handOver, SECRETS_FD } from '../secrets.mjs'

/** Most failed starts in a row of a kept program, and the pause before the first retry. */
const MOST_FAILURES = 3
const RESTART_MS = 250

/** @typedef {import('node:child_process').ChildProcess & { tier: number, first: Promise<any> }} Child */

/** Removes variables from the environment, so that a program only gets them through its pipe. */
const without = (secrets) => Object.fromEntries(Object.keys(secrets).map((name) => [name, undefined]))

/** Children of a lower tier end after those of a higher one; the database is tier 0. */
export function supervise({ graceMs = 7000, lastGraceMs = 2500, onStop = () => {} } = {}) {
  const children = new Set()
  const parent = process.ppid
  let stopping = 0

  const isRunning = (child) => child.exitCode === null && child.signalCode === null
  function signalGroup(child, signal) {
    try {
      if (isRunning(child)) process.kill(-child.pid, signal)
    } catch {
      // gone in the meantime
    }
  }
  const end = (child) =>
    isRunning(child) &&
    new Promise((resolve) => {
      child.once('exit', resolve)
      try {
        child.kill('SIGTERM') // to the program only, because it stops its own children in order
        child.stdio[SECRETS_FD].destroy() // a program that still waits for its secrets ends without them
      } catch {
        // gone in the meantime
      }
      setTimeout(signalGroup, child.tier === 0 ? lastGraceMs : graceMs, child, 'SIGKILL').unref()
    })

  /** Ends everything, the database last, then this process. */
  async function stop(why, code = 0) {
    if (stopping) {
      // A second Ctrl-C does not wait. npm sends the first one twice, so it only counts a second later.
      if (why === 'SIGINT' && Date.now() - stopping > 1000) process.exit(130)
      return
    }
    stopping = Date.now()
    console.log(`\n[start] stopping: ${why}`)
    for (const tier of [1, 0]) await Promise.all([...children].filter((child) => child.tier === tier).map(end))
    onStop()
    console.log(`[start] stopped in ${((Date.now() - stopping) / 1000).toFixed(1)} s`)
    process.exit(code)
  }

  /**
   * Starts a Node program in its own group. `first` resolves with its first message. When it ends, everything ends,
   * unless it has `isKept` and has served before; then it is restarted, or only after a kill with `isKept: 'if killed'`.
   * `secrets` are variables that bypass its environment, and may still be promises.
   */
  function add(
    label,
    args,
    { env = {}, secrets = {}, tier = 1, isKept = /** @type {boolean | 'if killed'} */ (false) } = {},
  ) {
    let hasServed = false
    let failures = 0
    const start = () => {
      const child = /** @type {Child} */ (
        spawn(process.execPath, args, {
          cwd: root,
          env: cleanEnv({
            NODE_ENV: 'production',
            ...env,
            ...without(secrets),
            PILOTHOUSE_SECRETS_FD: String(SECRETS_FD),
          }),
          stdio: ['ignore', 'inherit', 'inherit', 'ipc', 'pipe'],
          detached: true,
        })
      )
      void handOver(child, secrets)
      child.tier = tier
      child.first = new Promise((resolve) => child.once('message', resolve))
      failures++
      void child.first.then(() => {
        hasServed = true
        failures = 0
      })
      child.once('exit', (status, signal) => {
        children.delete(child)
        if (stopping) return
        const why = `${label} ended unexpectedly (${status ?? signal})`
        const isGivenUp = isKept === 'if killed' && status !== null
        if (!isKept || isGivenUp || !hasServed || failures > MOST_FAILURES) return void stop(why, status || 1)
        console.log(`[start] ${why}; restarting it`)
        setTimeout(() => stopping || start(), RESTART_MS * 2 ** failures)
      })
      children.add(child)
      return child
    }
    return start()
  }

  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => void stop(signal))
  process.on('exit', () => {
    for (const child of children) signalGroup(child, 'SIGKILL')
  })
  setInterval(() => {
    if (process.ppid !== parent) void stop('the parent process is gone')
  }, 250).unref()
  return { add, stop, isStopping: () => stopping > 0 }
}
