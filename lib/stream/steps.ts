import type { PastSteps } from './past-steps'
import type { Segment } from './wire/namespaces'

/** One execution of a node. `task` is its id, which tasks, debug and messages events have and updates do not. */
export type Step = {
  task: string | undefined
  startedAt: number
  startedSeq: number
  /** The first event that showed it. Later than the start if that was inferred. */
  seenAt: number
  endedAt: number | undefined
  endedSeq: number | undefined
  /** `unknown`: the recording ends while it ran, and the run may have gone on. */
  status: 'running' | 'done' | 'error' | 'interrupted' | 'unknown'
  /** The node's error, if the stream has it. */
  error: string | undefined
  /** Attempt of the run that it belongs to. */
  attempt: number
  /** The start was not reported, but derived from other events. */
  isInferred: boolean
  /** The end of the task, an update of its node, or only the end of what it is part of. */
  endedBy: 'task' | 'update' | 'whole' | undefined
}
/** The part of a step that events have shown, as opposed to its inferred times; undefined `to` while it runs. */
export const shownTime = (step: Step): { from: number; to: number | undefined } => {
  const from = step.isInferred ? step.seenAt : step.startedAt
  return { from, to: step.isInferred && step.endedBy === 'whole' ? from : step.endedAt }
}

/**
 * Whether its duration is only about right: its start was not reported, or its start and end arrived together, which they
 * may do some time after they happened.
 */
export const isEstimated = ({ isInferred, startedAt, endedAt }: Step): boolean => isInferred || startedAt === endedAt

/** `unclaimed` counts the steps whose task id is unknown. */
export type Track = {
  key: string
  node: string
  namespace: readonly Segment[]
  steps: Step[]
  running: Step[]
  unclaimed: number
}

type Where = { node: string; namespace: readonly Segment[]; path: string; seq: number; at: number }
type Moment = { at: number; seq: number }
type EndStatus = Exclude<Step['status'], 'running'>
type Ending = { error?: string; isEmpty?: boolean }

/** How deep subgraphs are searched for the task that failed. */
const MOST_NESTED = 20

/**
 * Executions per node and namespace over time. Only three kinds of events prove one: the start or end of a task, a token of a
 * model that the node calls, and the node's update. Whole messages prove none, because they may arrive after their
 * node's end.
 */
export class Steps {
  version = 0
  readonly tracks = new Map<string, Track>()
  readonly #byTask = new Map<string, Step>()
  /** The steps of a subgraph by the task that runs it, with which they end. */
  readonly #inside = new Map<string, Step[]>()
  readonly #trackOf = new WeakMap<Step, Track>()
  /**
   * When the last step of each namespace ended, which is when a node seen only in `updates` began. Nodes of one event
   * began together.
   */
  readonly #boundary = new Map<string, Moment & { before?: Moment }>()

  /** Set once the stream reports tasks (modes `tasks`, `debug`); then `updates` and tokens without a task add nothing. */
  tellsTasks = false
  /** The stream had no steps, and these are what the thread's history tells of them. */
  past: 'whole' | 'part' | 'none' | undefined
  /** Attempt of the run that new steps belong to. */
  #attempt = 1
  /** A task of this attempt has reported its error. */
  #hasFailed = false
  /** The last tasks that ended without result or error, as some servers report a failed one; the latest is first. */
  #empty: Step[] = []
  /** The ones of these that count as failed: a task of the root graph, and what failed inside it. */
  #guessed: Step[] = []

  /** A task began. */
  start(where: Where, task: string | undefined): void {
    const known = task ? this.#byTask.get(task) : undefined
    if (known) known.isInferred = false
    else this.#open(where, where, task, false)
  }

  /** A model that the node calls wrote a token. */
  write(where: Where, task: string | undefined): void {
    if (task ? this.#byTask.has(task) : this.tellsTasks || this.tracks.get(keyOf(where))?.running.length) return
    this.#open(where, where, task, true)
  }

  /** A task ended. `isEmpty`: with neither result nor error. */
  finish(where: Where, task: string | undefined, status: EndStatus, { error, isEmpty = false }: Ending = {}): void {
    const from = this.#turn(where)
    const known = task ? this.#byTask.get(task) : undefined
    const step = known ?? this.#claim(where, task) ?? this.#open(where, from, task, true)
    if (error !== undefined) step.error = error
    if (status === 'error') this.#hasFailed = true
    // A node's update names no task, so it may have ended the wrong one.
    if (step.endedBy !== 'task') step.status = 'running'
    this.#end(step, where, status, 'task')
    this.#empty = isEmpty ? [step, ...this.#empty.slice(0, MOST_NESTED)] : []
  }

  /** A node ended, in which task is unknown: its earliest running step, or one that was never seen before. */
  update(where: Where): void {
    if (this.tellsTasks) return
    const from = this.#turn(where)
    const step = this.tracks.get(keyOf(where))?.running[0] ?? this.#open(where, from, undefined, true)
    this.#end(step, where, 'done', 'update')
  }

  /** A task of the root graph that asked or failed, from the final state, which knows better than the stream. */
  left(node: string, task: string | undefined, { at, seq }: Moment, status: EndStatus, error?: string): void {
    const known = task ? this.#byTask.get(task) : undefined
    if (known) {
      known.status = status
      known.error ??= error
      this.version++
      return
    }
    if (this.tellsTasks) return
    const where = { node, namespace: [], path: '', at, seq }
    const last = this.tracks.get(keyOf(where))?.steps.at(-1)
    const isReported = last?.attempt === this.#attempt && (last.endedSeq === seq || last.status === status)
    const step = isReported ? last : this.#open(where, this.#turn(where), undefined, true)
    step.error ??= error
    this.#end(step, where, status, 'whole')
  }

  /** Takes the steps from the thread's history, whose times are those of checkpoints. `seq`: the entry that has it. */
  recount({ steps, isWhole }: PastSteps, seq: number): void {
    this.past = steps.length === 0 ? 'none' : isWhole ? 'whole' : 'part'
    for (const { node, task, startedAt, endedAt, status, error } of steps) {
      const from = { at: startedAt, seq }
      const step = this.#open({ node, namespace: [], path: '', ...from }, from, task, true)
      step.error = error
      this.#end(step, { at: endedAt, seq }, status, 'task')
    }
  }

  /** Ends everything that still runs when the run is over. After a task's own error, the others were only stopped. */
  finishAll(at: number, seq: number, status: EndStatus): void {
    if (status === 'error' && !this.#hasFailed) this.#failEmpty()
    const given = status === 'error' && this.#hasFailed ? 'interrupted' : status
    for (const track of this.tracks.values())
      for (const step of [...track.running]) this.#end(step, { at, seq }, given, 'whole')
  }

  /** A new attempt of the run, in which task ids may repeat. */
  retry(attempt: number, at: number, seq: number): void {
    this.finishAll(at, seq, 'interrupted')
    this.setBoundary('', at, seq)
    this.#byTask.clear()
    this.#inside.clear()
    for (const track of this.tracks.values()) track.unclaimed = 0
    this.#attempt = attempt
    this.#hasFailed = false
    this.#empty = []
  }

  /** Sets the start of work in a namespace, such as the run's first event. */
  setBoundary(path: string, at: number, seq: number): void {
    this.#boundary.set(path, { at, seq })
  }

  /** Corrects a failed step that was only inferred, once the tasks that failed are known. */
  keepFailed(tasks: ReadonlySet<string | undefined>): void {
    if (tasks.size === 0 || tasks.has(this.#guessed[0]?.task)) return
    for (const step of this.#guessed.splice(0)) step.status = 'done'
    this.version++
  }

  /** The task that ended last, and what failed inside it. */
  #failEmpty(): void {
    let outer: Step | undefined
    for (const step of this.#empty) {
      const parent = this.#trackOf.get(step)?.namespace.at(-1)?.node
      if (outer && parent !== this.#trackOf.get(outer)?.node) break
      step.status = 'error'
      this.#hasFailed = true
      this.#guessed.push(step)
      outer = step
    }
  }

  /** Notes an end in the namespace; returns the end before it, or the end itself if there was none. */
  #turn(where: Where): Moment {
    const last = this.#boundary.get(where.path)
    const before = last?.seq === where.seq ? last.before : last && { at: last.at, seq: last.seq }
    this.#boundary.set(where.path, { at: where.at, seq: where.seq, before })
    return before ?? where
  }

  /** Gives a task to the step that an update or a token without a task had shown before. */
  #claim(where: Where, task: string | undefined): Step | undefined {
    const track = this.tracks.get(keyOf(where))
    if (!track || track.unclaimed === 0) return undefined
    const isFree = (step: Step) => !step.task && step.attempt === this.#attempt
    const step = track.running.find(isFree) ?? track.steps.findLast(isFree)
    if (step && task) {
      step.task = task
      this.#byTask.set(task, step)
      track.unclaimed--
    }
    return step
  }

  #open(where: Where, from: Moment, task: string | undefined, isInferred: boolean): Step {
    const key = keyOf(where)
    let track = this.tracks.get(key)
    if (!track) {
      track = { key, node: where.node, namespace: where.namespace, steps: [], running: [], unclaimed: 0 }
      this.tracks.set(key, track)
    }
    const step: Step = {
      task,
      startedAt: from.at,
      startedSeq: from.seq,
      seenAt: where.at,
      endedAt: undefined,
      endedSeq: undefined,
      status: 'running',
      error: undefined,
      attempt: this.#attempt,
      isInferred,
      endedBy: undefined,
    }
    track.steps.push(step)
    track.running.push(step)
    this.#trackOf.set(step, track)
    if (task) this.#byTask.set(task, step)
    else track.unclaimed++
    const outer = where.namespace.at(-1)?.task
    if (outer) {
      const inside = this.#inside.get(outer)
      if (inside) inside.push(step)
      else this.#inside.set(outer, [step])
    }
    this.version++
    return step
  }

  #end(step: Step, { at, seq }: Moment, status: EndStatus, endedBy: Step['endedBy']): void {
    if (step.status !== 'running') return
    step.status = status
    step.endedAt = at
    step.endedSeq = seq
    step.endedBy = endedBy
    const running = this.#trackOf.get(step)?.running
    const index = running?.indexOf(step) ?? -1
    if (index !== -1) running?.splice(index, 1)
    this.version++
    // An update names no task, so another task of the node may have ended.
    if (!step.task || endedBy !== 'task') return
    const left = status === 'error' ? 'interrupted' : status
    for (const inner of this.#inside.get(step.task) ?? []) this.#end(inner, { at, seq }, left, 'whole')
    this.#inside.delete(step.task)
  }
}

// Each execution of a subgraph has new task ids, so they are not part of the row's key.
const keyOf = ({ node, namespace }: Where) => [...namespace.map((segment) => segment.node), node].join('\u001f')
