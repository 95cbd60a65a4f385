import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import http, { type ServerResponse } from 'node:http'
import process from 'node:process'
import { createInterface } from 'node:readline'
import { freePort } from './api-server'

const FIRST_DELAY_MS = 200
const MESSAGE_CHARS = 2048

/** A container as a process of this machine, restarted as a kubelet does. */
export class FakeContainer {
  port: number | undefined
  hasStarted = false
  hasSucceeded = false
  isReady = false
  #health: number | undefined
  #child: ChildProcess | undefined
  #id: string | undefined
  #startedAt = new Date()
  #ended:
    | { exitCode: number; signal?: number; reason: string; message: string; finishedAt: Date; containerID: string }
    | undefined
  #restarts = 0
  #nextAt = 0
  #isStarting = false
  #isStopped = false
  #lines: { time: string; text: string }[] = []
  readonly #readers = new Set<(line: { time: string; text: string } | undefined) => void>()
  #probe: NodeJS.Timeout | undefined

  constructor(
    private readonly options: {
      name: string
      image: string
      command: readonly [string, ...string[]]
      cwd: string | undefined
      env: Record<string, string>
      /** Whether it runs to its end; others are restarted however they end. */
      isInit: boolean
      /** Whether it is started once only, as in the pod of a Job. */
      isOnce?: boolean
      /** The file that stands for its termination message. */
      messageFile?: string
    },
  ) {}

  /** Ended for good. */
  get hasFailed(): boolean {
    return this.options.isOnce === true && this.#ended !== undefined && !this.hasSucceeded
  }

  get name(): string {
    return this.options.name
  }

  /** Starts it if it should run and does not. */
  keep(): void {
    if (this.#child || this.#isStarting || this.#isStopped || this.hasSucceeded || Date.now() < this.#nextAt) return
    if (this.hasFailed) return
    this.#isStarting = true
    void this.#start().finally(() => {
      this.#isStarting = false
    })
  }

  async #start(): Promise<void> {
    this.port = await freePort()
    this.#health = await freePort()
    if (this.#isStopped) return
    if (this.#ended) this.#restarts += 1
    const id = `fake://${randomUUID()}`
    this.#id = id
    this.#lines = []
    this.#startedAt = new Date()
    this.hasStarted = true
    const [program, ...args] = this.options.command
    const child = spawn(program, args, {
      cwd: this.options.cwd,
      env: {
        PATH: process.env.PATH,
        HOME: process.env.HOME,
        ...this.options.env,
        PILOTHOUSE_AGENT_HOST: '127.0.0.1',
        PILOTHOUSE_AGENT_PORT: String(this.port),
        PILOTHOUSE_AGENT_HEALTH_PORT: String(this.#health),
      } as unknown as NodeJS.ProcessEnv,
      stdio: ['ignore', 'pipe', 'pipe'],
      // What its command starts ends with it, as in a container.
      detached: this.options.isOnce === true,
    })
    this.#child = child
    for (const stream of [child.stdout, child.stderr])
      createInterface(stream).on('line', (text) => {
        const line = {
          time: `${new Date().toISOString().slice(0, -1)}${String(this.#lines.length % 1e6).padStart(6, '0')}Z`,
          text,
        }
        this.#lines.push(line)
        for (const read of this.#readers) read(line)
      })
    child.once('close', (code) => {
      clearInterval(this.#probe)
      this.#child = undefined
      this.isReady = false
      const text = this.#lines.map((line) => line.text).join('\n')
      const { messageFile } = this.options
      const written = messageFile && existsSync(messageFile) ? readFileSync(messageFile, 'utf8') : ''
      this.#ended = {
        exitCode: code ?? 137,
        reason: code === 0 ? 'Completed' : 'Error',
        message: written || (code === 0 ? '' : text.slice(-MESSAGE_CHARS)),
        finishedAt: new Date(),
        containerID: id,
      }
      this.hasSucceeded = this.options.isInit && code === 0
      this.#nextAt = Date.now() + FIRST_DELAY_MS * 2 ** Math.min(this.#restarts, 6)
      for (const read of this.#readers) read(undefined)
      this.#readers.clear()
    })
    if (!this.options.isInit) this.#probe = setInterval(() => this.#check(), 100)
  }

  #check(): void {
    http
      .get({ host: '127.0.0.1', port: this.#health, path: '/ready', timeout: 1000 }, (response) => {
        response.resume()
        this.isReady = this.#child !== undefined && response.statusCode === 200
      })
      .on('error', () => {
        this.isReady = false
      })
  }

  get status(): object {
    const ended = this.#ended
    const running = this.#child && { running: { startedAt: this.#startedAt } }
    const over = ended && (this.hasSucceeded || this.#restarts === 0) ? { terminated: ended } : undefined
    const back = ended && { waiting: { reason: 'CrashLoopBackOff', message: 'back-off restarting failed container' } }
    return {
      name: this.name,
      image: this.options.image,
      imageID: '',
      ready: this.options.isInit ? this.hasSucceeded : this.isReady,
      restartCount: this.#restarts,
      ...(this.#id && { containerID: this.#id }),
      state: running ?? over ?? back ?? { waiting: { reason: 'PodInitializing' } },
      lastState: ended && (running || !over) ? { terminated: ended } : {},
    }
  }

  /** As a kubelet does for `kubectl logs`. */
  sendLog(response: ServerResponse, query: URLSearchParams): void {
    const since = Date.parse(query.get('sinceTime') ?? '') || 0
    const send = ({ time, text }: { time: string; text: string }) => {
      if (Date.parse(time) >= since)
        response.write(query.get('timestamps') === 'true' ? `${time} ${text}\n` : `${text}\n`)
    }
    for (const line of this.#lines) send(line)
    if (query.get('follow') !== 'true' || !this.#child) return void response.end()
    const read = (line: { time: string; text: string } | undefined) => (line ? send(line) : response.end())
    this.#readers.add(read)
    response.once('close', () => this.#readers.delete(read))
  }

  async stop(graceMs: number): Promise<void> {
    this.#isStopped = true
    const child = this.#child
    if (!child) return
    const ended = once(child, 'close')
    const kill = (signal: 'SIGTERM' | 'SIGKILL') => {
      if (this.options.isOnce && child.pid) process.kill(-child.pid, signal)
      else child.kill(signal)
    }
    kill(graceMs > 0 ? 'SIGTERM' : 'SIGKILL')
    const timer = setTimeout(() => kill('SIGKILL'), graceMs)
    await ended
    clearTimeout(timer)
  }
}
