import type { Segment } from './namespaces'

/** One execution of a node. `task` is its id, which tasks, debug and messages events have and updates do not. */
export type Step = {
  task: string | undefined
  startedAt: number
  startedSeq: number
  endedAt: number | undefined
  endedSeq: number | undefined
  status: 'running' | 'done' | 'error' | 'interrupted'
  /** The node's error, if the stream has it. */
  error: string | undefined
  /** Attempt of the run that it belongs to. */
  attempt: number
  /** The start was not reported, but derived from the node's first event. */
  isInferred: boolean
}
export type Track = { key: string; node: string; namespace: readonly Segment[]; steps: Step[]; running: Step[] }

type Where = { node: string; namespace: readonly Segment[]; path: string; seq: number; at: number }

/** Executions per node and namespace over time, from all events that describe them. */
export class Steps {
  version = 0
  readonly tracks = new Map<string, Track>()
  readonly #byTask = new Map<string, Step>()
  readonly #trackOf = new WeakMap<Step, Track>()
  /**
   * When the last step of each namespace ended, which is when a node seen only in `updates` began. Nodes of one event
   * began together.
   */
  readonly #boundary = new Map<string, { at: number; seq: number; before?: { at: number; seq: number } }>()

  /** Set once the stream reports tasks (modes `tasks`, `debug`); then `updates` add nothing. */
  tellsTasks = false
  /** Attempt of the run that new steps belong to. */
  attempt = 1

  start(where: Where, task: string | undefined, isInferred: boolean): void {
    const known = task ? this.#byTask.get(task) : undefined
    if (known) known.isInferred &&= isInferred
    else this.#open(where, where, task, isInferred)
  }

  /**
   * Ends the task, or the node's earliest running step if the task is unknown. A node that was never seen starting gets
   * a step too.
   */
  finish(where: Where, task: string | undefined, status: Exclude<Step['status'], 'running'>, error?: string): void {
    if (!task && this.tellsTasks) return
    const known = task ? this.#byTask.get(task) : this.tracks.get(keyOf(where))?.running[0]
    const last = this.#boundary.get(where.path)
    const before = last?.seq === where.seq ? last.before : last && { at: last.at, seq: last.seq }
    const step = known ?? this.#open(where, before ?? where, task, true)
    this.#boundary.set(where.path, { at: where.at, seq: where.seq, before })
    if (error !== undefined) step.error = error
    this.#end(step, where, status)
  }

  /** A node in or before which the run ended, from its final state. Ignored if the stream has reported it. */
  left(node: string, at: number, seq: number, status: Exclude<Step['status'], 'running'>): void {
    const where = { node, namespace: [], path: '', at, seq }
    if (this.tracks.get(keyOf(where))?.steps.at(-1)?.endedSeq !== seq) this.finish(where, undefined, status)
  }

  /** Ends everything that still runs when the run is over. */
  finishAll(at: number, seq: number, status: Exclude<Step['status'], 'running'>): void {
    for (const track of this.tracks.values())
      for (const step of [...track.running]) this.#end(step, { at, seq }, status, track)
  }

  /** Sets the start of work in a namespace, such as the run's first event. */
  mark(path: string, at: number, seq: number): void {
    this.#boundary.set(path, { at, seq })
  }

  #open(where: Where, from: { at: number; seq: number }, task: string | undefined, isInferred: boolean): Step {
    const key = keyOf(where)
    let track = this.tracks.get(key)
    if (!track) {
      track = { key, node: where.node, namespace: where.namespace, steps: [], running: [] }
      this.tracks.set(key, track)
    }
    const step: Step = {
      task,
      startedAt: from.at,
      startedSeq: from.seq,
      endedAt: undefined,
      endedSeq: undefined,
      status: 'running',
      error: undefined,
      attempt: this.attempt,
      isInferred,
    }
    track.steps.push(step)
    track.running.push(step)
    this.#trackOf.set(step, track)
    if (task) this.#byTask.set(task, step)
    this.version++
    return step
  }

  #end(
    step: Step,
    { at, seq }: { at: number; seq: number },
    status: Step['status'],
    track = this.#trackOf.get(step),
  ): void {
    if (step.status !== 'running') return
    step.status = status
    step.endedAt = at
    step.endedSeq = seq
    track?.running.splice(track.running.indexOf(step), 1)
    this.version++
  }
}

// Each execution of a subgraph has new task ids, so they are not part of the row's key.
const keyOf = ({ node, namespace }: Where) => [...namespace.map((segment) => segment.node), node].join('\u001f')
