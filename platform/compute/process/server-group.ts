import { setTimeout as sleep } from 'node:timers/promises'
import type { Servers, ServersStatus } from '../compute'
import type { AgentChild } from './child'

/** More would need more database connections than a deployment may have. */
export const MOST_PROCESSES = 4
const FIRST_DELAY_MS = 500
const LONGEST_DELAY_MS = 30_000

type Options = {
  /** Starts and checks one process. All answer to the same secret. */
  start(signal: AbortSignal): Promise<AgentChild>
  log(level: 'INFO' | 'ERROR', message: string): void
}

/** Starts several processes of a revision that share its runs. Rejects, and leaves none behind, if one cannot start. */
export async function startGroup(count: number, options: Options, signal: AbortSignal): Promise<Servers> {
  // The first one prepares the tables, and tells whether the code starts at all.
  const first = await options.start(signal)
  if (count === 1) return first
  const others = await Promise.allSettled(Array.from({ length: count - 1 }, () => options.start(signal)))
  const started = [first, ...others.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))]
  const failed = others.find((one) => one.status === 'rejected')
  if (!failed) return new ServerGroup(started, options)
  await Promise.all(started.map((one) => one.stop(0)))
  throw failed.reason
}

/** Processes of one revision behind one address: each connection goes to the next that runs, and one that ends is replaced. */
class ServerGroup implements Servers {
  readonly host = '127.0.0.1'
  readonly secret: string
  readonly authenticates: boolean
  readonly ended: Promise<string>
  readonly endsWithPlatform = true
  onChange = () => {}
  openRequests = 0
  readonly #wanted: number
  readonly #ending = new AbortController()
  #children: AgentChild[]
  #turn = 0
  #failures = 0
  #problem: { text: string; since: Date } | undefined
  #end: (how: string) => void = () => {}

  constructor(
    children: AgentChild[],
    private readonly options: Options,
  ) {
    const [{ secret, authenticates }] = children as [AgentChild]
    this.secret = secret
    this.authenticates = authenticates
    this.#children = children
    this.#wanted = children.length
    this.ended = new Promise((resolve) => {
      this.#end = resolve
    })
    for (const child of children) this.#watch(child)
  }

  get name(): string {
    return `processes ${this.#children.map(({ pid }) => pid).join(', ')}`
  }

  /** Each read takes the next process, so a caller reads it once per attempt. */
  get port(): number {
    const running = this.#running
    this.#turn += 1
    return (running[this.#turn % running.length] ?? (this.#children[0] as AgentChild)).port
  }

  get ports(): number[] {
    return this.#running.map(({ port }) => port)
  }

  get isIdle(): boolean {
    return this.#running.every(({ isIdle }) => isIdle)
  }

  get status(): ServersStatus {
    return {
      ready: this.#running.length,
      wanted: this.#wanted,
      problem: this.#problem?.text,
      since: this.#problem?.since,
    }
  }

  isRunning(): boolean {
    return this.#running.length > 0
  }

  async receive(): Promise<void> {}

  retire(): void {
    this.#ending.abort()
    for (const child of this.#running) child.retire()
  }

  async stop(graceMs: number): Promise<void> {
    this.#ending.abort()
    await Promise.all(this.#children.map((child) => child.stop(graceMs)))
  }

  release(graceMs: number): Promise<void> {
    return this.stop(graceMs)
  }

  get #running(): AgentChild[] {
    return this.#children.filter((child) => child.isRunning())
  }

  #watch(child: AgentChild): void {
    void child.ended.then(async (how) => {
      if (!this.isRunning()) {
        // The supervisor starts the group again as a whole.
        this.#ending.abort()
        return this.#end(how)
      }
      await child.stop(0) // what it started itself
      if (this.#ending.signal.aborted) return
      this.#children = this.#children.filter((one) => one !== child)
      this.onChange()
      const text = `Process ${child.pid} exited: ${how}. ${this.#running.length} of ${this.#wanted} go on.`
      this.#problem ??= { text, since: new Date() }
      this.options.log('ERROR', text)
      await this.#replace()
    })
  }

  async #replace(): Promise<void> {
    const { signal } = this.#ending
    while (!signal.aborted) {
      const delay = Math.min(FIRST_DELAY_MS * 2 ** this.#failures, LONGEST_DELAY_MS)
      this.#failures += 1
      await sleep(delay, undefined, { signal }).catch(() => {})
      if (signal.aborted) return
      try {
        const child = await this.options.start(signal)
        if (signal.aborted) return await child.stop(0)
        this.#children.push(child)
        this.#watch(child)
        this.onChange()
        if (this.#running.length < this.#wanted) return
        this.#problem = undefined
        setTimeout(() => {
          if (!this.#problem) this.#failures = 0
        }, LONGEST_DELAY_MS).unref()
        return
      } catch (error) {
        if (!signal.aborted) this.options.log('ERROR', `A process was not replaced: ${(error as Error).message}`)
      }
    }
  }
}
