import { isRecord } from '@/lib/json/guards'
import type { RecordingOutcome } from './log'

/** A checkpoint of a thread's history, without its values. `isOwn`: the run wrote it. */
export type PastCheckpoint = {
  id: string
  parent: string | null
  isOwn: boolean
  /** `input`, `loop`, `update`, `fork`, or a newer value. */
  source: string | null
  step: number | null
  at: number | null
  /** What was to run next. `ended`: how it went, if the history tells. */
  tasks: { id: string; name: string; ended?: 'done' | 'error' | 'asked'; error?: string }[]
}

/** A step that is told by the checkpoints around it. */
export type PastStep = {
  node: string
  task: string
  startedAt: number
  endedAt: number
  status: 'done' | 'error' | 'interrupted'
  error?: string | undefined
}
/** `isWhole`: no other step can have been part of the run. */
export type PastSteps = { steps: PastStep[]; isWhole: boolean }

type Ended = { outcome: RecordingOutcome; startedAt: number; endedAt: number }

/**
 * The steps of a run that has ended, from the checkpoints that it wrote and the one before them, newest first. A step ran
 * from one checkpoint to the next. Other branches of the thread are left out.
 */
export function pastSteps(checkpoints: readonly PastCheckpoint[], { outcome, startedAt, endedAt }: Ended): PastSteps {
  const last = checkpoints.find(({ isOwn, source }) => isOwn && (source === 'loop' || source === 'input'))
  if (!last) return { steps: [], isWhole: false }
  const byId = new Map(checkpoints.map((one) => [one.id, one]))
  const parentOf = ({ parent }: PastCheckpoint) => (parent === null ? undefined : byId.get(parent))
  const chain = [last]
  for (let parent = parentOf(last); parent && chain.length <= byId.size; parent = parentOf(parent)) {
    chain.unshift(parent)
    if (!parent.isOwn) break
  }
  const [first] = chain
  // A run begins with its input, or with what another one left.
  let isWhole = first?.isOwn === false || first?.source === 'input' || first?.source === 'fork'
  const steps: PastStep[] = []
  const at = ({ at: time }: PastCheckpoint) => Math.min(Math.max(time ?? startedAt, startedAt), endedAt)
  for (const [index, to] of chain.slice(1).entries()) {
    const from = chain[index] as PastCheckpoint // the one before it
    if (to.source !== 'loop') continue
    const isNext = from.step !== null && to.step === from.step + 1
    // Of several tasks, some may have ended in the run before.
    const isOneRun = from.isOwn || from.tasks.length === 1
    if (!isNext || !isOneRun || from.tasks.length === 0) {
      isWhole = false
      continue
    }
    for (const { id, name } of from.tasks)
      if (name !== START) steps.push({ node: name, task: id, startedAt: at(from), endedAt: at(to), status: 'done' })
  }
  const stopped = outcome === 'error' ? 'error' : outcome === 'waiting' ? 'asked' : undefined
  if (stopped && last.tasks.some(({ ended }) => ended === stopped)) {
    for (const { id, name, ended, error } of last.tasks) {
      const status = ended === 'done' || ended === 'error' ? ended : 'interrupted'
      steps.push({ node: name, task: id, startedAt: at(last), endedAt, status, error })
    }
  } else if (last.tasks.length > 0) isWhole = false
  return { steps, isWhole }
}

/** The runtime's own node, which takes the input. */
const START = '__start__'

/** Reads what `LogEntry` keeps of a history; undefined if it is not one. */
export function readPast(text: string): PastCheckpoint[] | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return Array.isArray(value) ? value.filter(isCheckpoint) : undefined
  } catch {
    return undefined
  }
}

const isCheckpoint = (value: unknown): value is PastCheckpoint =>
  isRecord(value) &&
  typeof value.id === 'string' &&
  Array.isArray(value.tasks) &&
  value.tasks.every((task) => isRecord(task) && typeof task.id === 'string' && typeof task.name === 'string')
