import { setTimeout as sleep } from 'node:timers/promises'
import type { Servers } from '../compute/compute'
import type { LogLevel } from '../kernel/wire'

export type SupervisorOptions = {
  log(level: LogLevel, message: string): void
  /** How long a replaced agent server may take to finish its runs and open requests. */
  drainMs: number
  /** From SIGTERM to SIGKILL. */
  graceMs: number
  /** Called when `current` or its ports change, but not when the platform ends. */
  onChange?(): void
  /** Requests that gateways in other processes have open to a replaced agent server. */
  openElsewhere?(child: Servers): Promise<number>
  /** A child that ran this long resets the back-off. */
  stableMs?: number
}
type Launch = (signal: AbortSignal) => Promise<Servers>

const FIRST_DELAY_MS = 250
const LONGEST_DELAY_MS = 30_000
const STABLE_MS = 60_000
const LOOK_MS = 25
const ELSEWHERE_LOOK_MS = 200

/** Keeps one deployment's agent server running, and replaces it without downtime. */
export class Supervisor {
  #current: Servers | undefined
  #next: Servers | undefined
  #keeping = new AbortController()
  #failures = 0
  #isStopped = false
  readonly #draining = new Set<Servers>()
  /** Starts and stops in progress; `stop` waits for all of them. */
  readonly #under = new Set<Promise<void>>()

  constructor(private readonly options: SupervisorOptions) {}

  /** Where requests go now; undefined while no child is ready. */
  get current(): Servers | undefined {
    return [this.#next, this.#current].find((child) => child?.isRunning())
  }

  /** Whether nothing is running, starting or stopping. */
  get isIdle(): boolean {
    return !this.#current && !this.#draining.size && !this.#under.size
  }

  /** Starts the agent server that served before the platform stopped, retrying on failure. */
  restore(launch: Launch): void {
    this.#follow(this.#keep(launch, this.#renew(), 0))
  }

  /** Routes requests to `child` until it is adopted, or to the one before again without a child. */
  lead(child: Servers | undefined): void {
    this.#next = child
  }

  /** Routes requests to `child` and drains its predecessor. `launch` restarts it after a crash. */
  adopt(child: Servers, launch: Launch): void {
    const signal = this.#renew()
    const before = this.#current
    this.#next = undefined
    this.#failures = 0
    this.#watch(child, launch, signal)
    if (before?.isRunning()) this.#follow(this.#drain(before))
  }

  /**
   * Stops every server of the deployment, including starting ones, without waiting for open requests. `release`: the
   * platform ends, and what outlives it goes on.
   */
  async stop(graceMs = this.options.graceMs, how: 'stop' | 'release' = 'stop'): Promise<void> {
    this.#isStopped = true
    this.#renew()
    const all = [...this.#draining, ...(this.#current ? [this.#current] : [])]
    this.#current = undefined
    this.#next = undefined
    await Promise.all(all.map((child) => child[how](graceMs)))
    while (this.#under.size) await Promise.all(this.#under)
  }

  #follow(work: Promise<void>): void {
    const followed = work.finally(() => this.#under.delete(followed))
    this.#under.add(followed)
  }

  /** Ends the current restart loop; its signal stops a child that is starting. */
  #renew(): AbortSignal {
    this.#keeping.abort(new Error('replaced'))
    this.#keeping = new AbortController()
    return this.#keeping.signal
  }

  #watch(child: Servers, launch: Launch, signal: AbortSignal): void {
    this.#current = child
    child.onChange = () => this.options.onChange?.()
    this.options.onChange?.()
    const since = Date.now()
    const restart = async (how: string) => {
      await tryStop(child, 0) // what it started itself
      if (signal.aborted || this.#current !== child) return
      this.#current = undefined
      this.options.onChange?.()
      const lived = Date.now() - since
      const isStable = lived > (this.options.stableMs ?? STABLE_MS)
      if (isStable) this.#failures = 0
      this.options.log('ERROR', `The agent server exited: ${how}. It had run for ${(lived / 1000).toFixed(1)} s.`)
      await this.#keep(launch, signal, this.#delay())
    }
    void child.ended.then((how) => this.#follow(restart(how)))
  }

  #delay(): number {
    const delay = Math.min(FIRST_DELAY_MS * 2 ** this.#failures, LONGEST_DELAY_MS)
    this.#failures += 1
    return delay
  }

  async #keep(launch: Launch, signal: AbortSignal, firstDelayMs: number): Promise<void> {
    for (let delay = firstDelayMs; !signal.aborted; delay = this.#delay()) {
      if (delay > 0) {
        const times = this.#failures === 1 ? 'the first time' : `time ${this.#failures} in a row`
        this.options.log('INFO', `Restarting it in ${delay / 1000} s (${times}).`)
        await sleep(delay, undefined, { signal }).catch(() => {})
      }
      try {
        const child = await launch(signal)
        // Replaced just as it became ready.
        if (signal.aborted) await tryStop(child, 0)
        else this.#watch(child, launch, signal)
        return
      } catch (error) {
        if (signal.aborted) return
        this.options.log('ERROR', (error as Error).message)
      }
    }
  }

  /** Lets a replaced agent server finish its work, and logs the outcome in its successor's deploy log. */
  async #drain(child: Servers): Promise<void> {
    const { drainMs, graceMs, log } = this.options
    const began = Date.now()
    const took = () => `${((Date.now() - began) / 1000).toFixed(1)} s`
    const openElsewhere = async () => (this.#isStopped ? 0 : ((await this.options.openElsewhere?.(child)) ?? 0))
    const isBusyHere = () => child.openRequests > 0 || !child.isIdle
    const isBusy = async () => child.isRunning() && (isBusyHere() || (await openElsewhere()) > 0)
    this.#draining.add(child)
    child.retire()
    while ((await isBusy()) && Date.now() < began + drainMs) await sleep(isBusyHere() ? LOOK_MS : ELSEWHERE_LOOK_MS)
    const name = `The previous agent server (${child.name})`
    if ((await isBusy()) && !this.#isStopped) {
      const { isIdle } = child
      const open = child.openRequests + (await openElsewhere())
      const left = [open && `${open} open ${open === 1 ? 'request' : 'requests'}`, !isIdle && 'runs in progress']
      log(
        'WARNING',
        `${name} still had ${left.filter(Boolean).join(' and ')} after ${took()}. It is stopped now, and its runs continue here from their last step. Resumable streams continue after their last event; others can be joined again, but miss the events in between.`,
      )
    }
    const hasCrashed = !child.isRunning()
    const failure = await tryStop(child, graceMs)
    this.#draining.delete(child)
    if (this.#isStopped) return
    if (failure) log('WARNING', `${name} was not removed: ${failure.message}`)
    else if (hasCrashed) log('WARNING', `${name} exited: ${await child.ended}.`)
    else log('INFO', `${name} exited ${took()} after the switch.`)
  }
}

/** Stops servers, and returns why they were not. What is left of them is removed when the deployment serves again. */
const tryStop = (child: Servers, graceMs: number): Promise<Error | undefined> =>
  child.stop(graceMs).then(
    () => undefined,
    (error: Error) => error,
  )
