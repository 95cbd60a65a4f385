import { setTimeout as sleep } from 'node:timers/promises'
import type { LogLevel } from '../control-plane/wire'
import type { AgentChild } from './child'

export type SupervisorOptions = {
  log(level: LogLevel, message: string): void
  /** How long an agent server that was replaced may finish its open requests. */
  drainMs: number
  /** From SIGTERM to SIGKILL. */
  graceMs: number
}
type Launch = (signal: AbortSignal) => Promise<AgentChild>

const FIRST_DELAY_MS = 250
const LONGEST_DELAY_MS = 30_000
/** A child that lived this long has not failed to start: the back-off begins anew. */
const SETTLED_MS = 60_000

/** Keeps the agent server of one deployment running, and lets another take its place without a gap. */
export class Supervisor {
  #current: AgentChild | undefined
  #keeping = new AbortController()
  #failures = 0
  readonly #draining = new Set<AgentChild>()

  constructor(private readonly options: SupervisorOptions) {}

  /** Where requests go now; undefined while nothing can answer. */
  get current(): AgentChild | undefined {
    return this.#current?.isRunning() ? this.#current : undefined
  }

  /** Starts what served before the platform was stopped, and goes on trying. */
  restore(launch: Launch): void {
    void this.#keep(launch, this.#renew(), 0)
  }

  /** From now on requests go to `child`; the one before it is drained. `launch` starts it again after a crash. */
  adopt(child: AgentChild, launch: Launch): void {
    const signal = this.#renew()
    const before = this.#current
    this.#failures = 0
    this.#watch(child, launch, signal)
    if (before) void this.#drain(before)
  }

  /** Ends every process of the deployment, open requests or not. */
  async stop(graceMs = this.options.graceMs): Promise<void> {
    this.#renew()
    const all = [...this.#draining, ...(this.#current ? [this.#current] : [])]
    this.#current = undefined
    await Promise.all(all.map((child) => child.stop(graceMs)))
  }

  /** Ends whatever restart loop is under way; what it was starting is stopped by its signal. */
  #renew(): AbortSignal {
    this.#keeping.abort(new Error('replaced'))
    this.#keeping = new AbortController()
    return this.#keeping.signal
  }

  #watch(child: AgentChild, launch: Launch, signal: AbortSignal): void {
    this.#current = child
    const since = Date.now()
    void child.ended.then(async (how) => {
      await child.stop(0) // what it started itself
      if (signal.aborted || this.#current !== child) return
      this.#current = undefined
      if (Date.now() - since > SETTLED_MS) this.#failures = 0
      this.options.log('ERROR', `The agent server ended by itself: ${how}.`)
      await this.#keep(launch, signal, this.#delay())
    })
  }

  #delay(): number {
    const delay = Math.min(FIRST_DELAY_MS * 2 ** this.#failures, LONGEST_DELAY_MS)
    this.#failures += 1
    return delay
  }

  async #keep(launch: Launch, signal: AbortSignal, firstDelayMs: number): Promise<void> {
    for (let delay = firstDelayMs; !signal.aborted; delay = this.#delay()) {
      if (delay > 0) {
        this.options.log('INFO', `Starting it again in ${delay / 1000} s.`)
        await sleep(delay, undefined, { signal }).catch(() => {})
      }
      try {
        const child = await launch(signal)
        // Replaced in the very moment it became ready.
        if (signal.aborted) await child.stop(0)
        else this.#watch(child, launch, signal)
        return
      } catch (error) {
        if (signal.aborted) return
        this.options.log('ERROR', (error as Error).message)
      }
    }
  }

  async #drain(child: AgentChild): Promise<void> {
    const { drainMs, graceMs } = this.options
    this.#draining.add(child)
    child.retire()
    const until = Date.now() + drainMs
    while (child.isRunning() && child.openRequests > 0 && Date.now() < until) await sleep(25)
    await child.stop(graceMs)
    this.#draining.delete(child)
  }
}
