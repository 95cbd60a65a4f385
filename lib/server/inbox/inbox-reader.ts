import 'server-only'
import { setTimeout as sleep } from 'node:timers/promises'
import { agentServer } from '@/lib/contracts/agent-server'
import type { Thread } from '@/lib/contracts/agents/threads'
import { AppError } from '@/lib/errors'
import { printJson } from '@/lib/json/lossless'
import { aboutLine, askLine, type Inbox, type WaitingThread } from '@/lib/stream/inbox'
import { openInterrupts } from '@/lib/stream/questions'
import { type Actor, systemActor } from '../access/actor'
import { untilAnswer } from '../process/answers'
import { mapConcurrent } from '../process/map-concurrent'
import { type ServedDeployment, servedDeployments } from '../resources/served-deployments'
import { call } from '../upstream/call'

const PACE = {
  /** Deployments read at the same time. */
  atOnce: 6,
  /** Deployments read per pass. If there are more, the least recently read come first. */
  perLook: 60,
  /** How long a reader keeps the list of deployments. */
  listMs: 6_000,
  timeoutMs: 6_000,
  /** The most threads read per deployment, and how many per request. */
  most: 500,
  page: 100,
  /** Threads per pass and deployment whose state is read for their questions. */
  states: 20,
  /** The wait before a failed deployment is read again. It doubles with each failure. */
  retryMs: 5_000,
  retryMaxMs: 60_000,
}
type Pace = typeof PACE

// Viewers with the same limit share one reader. Their rights are checked when they subscribe and while they stay subscribed.

/** Excludes the values, which may be megabytes per thread. */
const COLUMNS = ['thread_id', 'status', 'created_at', 'updated_at', 'metadata', 'interrupts']

type Known = {
  threads: WaitingThread[]
  isCut: boolean
  readAt: number | null
  problem: string | undefined
  failures: number
  notBefore: number
  /** Whether the server has answered since it failed. */
  isOver: () => boolean
  /** 0 if it was never read. */
  askedAt: number
}

/** Reads the threads that need input in a workspace's deployments. A deployment that fails keeps its last known threads. */
export class InboxReader {
  #known = new Map<string, Known>()
  #list: { all: ServedDeployment[]; until: number } = { all: [], until: 0 }

  readonly #pace: Pace
  readonly #actor: Actor
  #pass: Promise<void> | undefined

  constructor(
    readonly workspace: string,
    pace: Partial<Pace> = {},
    readonly limit: readonly string[] | null = null,
  ) {
    this.#actor = systemActor('inbox', limit)
    this.#pace = { ...PACE, ...pace }
  }

  /** Whether some deployments are still being read, after a read that did not wait for them. */
  get isReading(): boolean {
    return this.#pass !== undefined
  }

  /**
   * Throws AppError if the deployments cannot be listed. Servers that take longer than `withinMs` are left to a later read,
   * which does not ask them again.
   */
  async read(signal: AbortSignal, withinMs?: number): Promise<Inbox> {
    const deployments = await this.#deployments()
    await this.#lookAt(deployments, signal, withinMs)
    const seen = deployments.map((one) => ({ ...one, ...this.#of(one) }))
    this.#known = new Map(deployments.map((one) => [one.id, this.#of(one)]))
    return {
      threads: seen.flatMap(({ threads }) => threads).sort(byAge),
      unread: seen.flatMap(({ id, name, problem, readAt }) =>
        problem === undefined ? [] : [{ deployment: id, deploymentName: name, message: problem, readAt }],
      ),
      cut: seen.filter(({ isCut }) => isCut).map(({ name }) => name),
      pending: seen.filter(({ askedAt }) => askedAt === 0).length,
    }
  }

  async #lookAt(
    deployments: readonly ServedDeployment[],
    signal: AbortSignal,
    withinMs: number | undefined,
  ): Promise<void> {
    this.#pass ??= this.#lookAtDue(deployments, signal).then(() => {
      this.#pass = undefined
    })
    const rest = new AbortController()
    const late =
      withinMs === undefined ? [] : [sleep(withinMs, undefined, { signal: rest.signal }).catch(() => undefined)]
    try {
      await Promise.race([this.#pass, ...late])
    } catch (error) {
      // A pass that failed after its read had ended is found here by the next one.
      this.#pass = undefined
      throw error
    } finally {
      rest.abort()
    }
  }

  async #lookAtDue(deployments: readonly ServedDeployment[], signal: AbortSignal): Promise<void> {
    const due = deployments
      .filter((one) => this.#of(one).notBefore <= Date.now() || this.#of(one).isOver())
      .sort((left, right) => this.#of(left).askedAt - this.#of(right).askedAt)
    const queue = due.slice(0, this.#pace.perLook).values()
    const next = async () => {
      for (const one of queue) await this.#look(one, signal)
    }
    await Promise.all(Array.from({ length: Math.min(this.#pace.atOnce, deployments.length) }, next))
  }

  #of({ id }: ServedDeployment): Known {
    return this.#known.get(id) ?? UNKNOWN
  }

  /** The deployments that have an agent server: nothing can wait before the first revision is deployed. */
  async #deployments(): Promise<ServedDeployment[]> {
    if (Date.now() < this.#list.until) return this.#list.all
    const all = await servedDeployments(this.workspace, this.limit)
    this.#list = { all, until: Date.now() + this.#pace.listMs }
    return all
  }

  async #look(deployment: ServedDeployment, signal: AbortSignal): Promise<void> {
    const before = this.#of(deployment)
    const askedAt = Date.now()
    try {
      const found = await this.#waiting(deployment, signal)
      const threads = await this.#withQuestions(found.threads, before.threads, signal)
      this.#known.set(deployment.id, { ...UNKNOWN, threads, isCut: found.isCut, readAt: Date.now(), askedAt })
    } catch (error) {
      if (signal.aborted || !(error instanceof AppError)) throw error
      if (error.code === 'unsupported') {
        // A server without threads has none that need input.
        this.#known.set(deployment.id, { ...UNKNOWN, askedAt, notBefore: Date.now() + this.#pace.retryMaxMs })
        return
      }
      const { retryAfterMs } = error.view
      const pause = Math.max(
        retryAfterMs ?? 0,
        Math.min(this.#pace.retryMs * 2 ** before.failures, this.#pace.retryMaxMs),
      )
      this.#known.set(deployment.id, {
        ...before,
        problem: error.message,
        failures: before.failures + 1,
        askedAt,
        notBefore: Date.now() + pause,
        isOver: retryAfterMs ? () => false : untilAnswer({ workspace: this.workspace, deploymentId: deployment.id }),
      })
    }
  }

  async #waiting(
    { id, name }: ServedDeployment,
    signal: AbortSignal,
  ): Promise<{ threads: WaitingThread[]; isCut: boolean }> {
    const found = new Map<string, WaitingThread>()
    for (let offset = 0; offset < this.#pace.most; offset += this.#pace.page) {
      const rows = await call(
        agentServer.searchThreads,
        {
          workspace: this.workspace,
          deploymentId: id,
          body: {
            status: 'interrupted',
            sort_by: 'updated_at',
            sort_order: 'asc',
            limit: this.#pace.page,
            offset,
            select: COLUMNS,
          },
        },
        { actor: this.#actor, signal, timeoutMs: this.#pace.timeoutMs },
      )
      // A server that ignores the filter returns all threads.
      for (const row of rows)
        if (row.status === 'interrupted') found.set(row.thread_id, waitingThread(row, { id, name }))
      if (rows.length < this.#pace.page) return { threads: [...found.values()], isCut: false }
    }
    return { threads: [...found.values()], isCut: true }
  }

  /** Reads the questions that the server's list of threads leaves out, the oldest first, and keeps them while nothing changes. */
  async #withQuestions(
    threads: WaitingThread[],
    before: WaitingThread[],
    signal: AbortSignal,
  ): Promise<WaitingThread[]> {
    const known = new Map(before.map((one) => [one.thread, one]))
    let left = this.#pace.states
    return await mapConcurrent(threads, async (one) => {
      if (one.questions) return one
      const last = known.get(one.thread)
      if (last?.questions && last.since === one.since) return last
      if (left-- <= 0) return one
      return { ...one, ...(await this.#questionsOf(one, signal)) }
    })
  }

  /** Empty if the state cannot be read: it is then read again in the next pass. */
  async #questionsOf(one: WaitingThread, signal: AbortSignal): Promise<Partial<WaitingThread>> {
    const at = { workspace: this.workspace, deploymentId: one.deployment, params: { thread_id: one.thread } }
    try {
      const { tasks, interrupts } = await call(
        agentServer.getThreadState,
        { ...at, query: { subgraphs: true, select: 'next,tasks,interrupts,metadata' } },
        { actor: this.#actor, signal, timeoutMs: this.#pace.timeoutMs },
      )
      const open = openInterrupts(printJson({ tasks, interrupts }), { tasks, interrupts })
      return { questions: open.map(({ id }) => id), ...linesOf(open.map(({ value }) => value)) }
    } catch (error) {
      if (signal.aborted || !(error instanceof AppError)) throw error
      return {}
    }
  }
}

const UNKNOWN: Known = {
  threads: [],
  isCut: false,
  readAt: null,
  problem: undefined,
  failures: 0,
  notBefore: 0,
  isOver: () => false,
  askedAt: 0,
}

/** Oldest first, with a stable order for equal times so that rows do not swap between reads. */
const byAge = (left: WaitingThread, right: WaitingThread) =>
  timeOf(left) - timeOf(right) || (left.thread < right.thread ? -1 : 1)
// Servers format times differently, so compare them parsed.
const timeOf = ({ since }: WaitingThread) => (since && Date.parse(since)) || 0

/** The first of the questions, in words. */
const linesOf = (questions: readonly unknown[]) =>
  questions.length > 0 ? { asks: askLine(questions[0]), about: aboutLine(questions[0]) } : { asks: '', about: '' }

function waitingThread(row: Thread, { id, name }: ServedDeployment): WaitingThread {
  const questions = new Map<string, unknown>()
  // An outer task repeats the questions of its inner graph, so count each id once.
  for (const [task, list] of Object.entries(row.interrupts ?? {}))
    for (const [index, one] of list.entries()) questions.set(one.id ?? `${task}#${index}`, one.value)
  const graph = row.metadata.graph_id
  return {
    deployment: id,
    deploymentName: name,
    thread: row.thread_id,
    graph: typeof graph === 'string' ? graph : null,
    since: row.updated_at ?? row.created_at ?? null,
    questions: row.interrupts ? [...questions.keys()] : null,
    ...linesOf([...questions.values()]),
  }
}
