// An experiment: assistants that run on the same inputs, each pair on a fresh thread.

export const MAX_SUBJECTS = 8
export const MAX_INPUTS = 200
export const MAX_PAIRS = 400
export const MAX_CHECKS = 10
/** The longest input, as JSON text, and the longest options. */
export const MAX_INPUT_LENGTH = 100_000
export const MAX_NAME = 100
export const MAX_NOTE = 2_000
/** How many are listed at once. */
export const EXPERIMENTS_PAGE = 50

/** What runs. Without a version, the assistant as it is at the start. The names are those at that time. */
export type Subject = {
  deployment: string
  deploymentName: string
  assistant: string
  name: string
  version: number | null
  /** The revision that served when the experiment was created or, if it is pinned, the one that is to run. */
  revision: string | null
  /** Runs start only while `revision` serves. */
  isPinned?: boolean
  /** What a pinned revision was built of: a commit and its message, or an image. */
  source?: string
  /** What a person calls the column. */
  title?: string
  /** The part of a run request that configures its runs, as JSON text. */
  options?: string
}

export type Check =
  | { kind: 'contains'; text: string }
  /** `value` is JSON text. */
  | { kind: 'equals'; path: string; value: string }
  | { kind: 'regex'; pattern: string }
  | { kind: 'latency'; ms: number }
export type CheckResult = { isPassed: boolean; reason: string }

/** `waiting`: not started; `running`: its run was started; `ended`: with a result; `failed`: it could not be started. */
export type PairState = 'waiting' | 'running' | 'ended' | 'failed'

export type PairResult = {
  run: string | null
  /** The run's outcome. */
  outcome: string
  error: string | null
  /** The last AI message, or the state as JSON. */
  output: string
  /** The state as JSON text; null if it is unknown or too large to keep. */
  values: string | null
  latencyMs: number | null
  firstTokenMs: number | null
  tokensIn: number | null
  tokensOut: number | null
  /** First token and tokens are those of its trace, and not as recorded. Absent in results of earlier versions. */
  isTraced?: boolean
  /** US dollars, from the trace; null if unknown. */
  cost: number | null
  isEstimated: boolean
  /** The revision that served both at the start and at the end of the run; null if unknown. Absent like `isTraced`. */
  revision?: string | null
  /** When the run was started. Absent like `isTraced`. */
  startedAt?: string
  /** Of the assistant that ran; null if unknown. Absent like `isTraced`. */
  assistantVersion?: number | null
  /** The run belongs to an earlier experiment, because the revision did not serve when this one was created. */
  isReused?: boolean
}

export type Pair = {
  subject: number
  input: number
  state: PairState
  recording: string | null
  result: PairResult | null
  error: string | null
  thumb: -1 | 1 | null
  note: string
  ratedBy: string | null
  /** In the order of the experiment's checks; empty until the run has ended. */
  checks: CheckResult[]
}

export type ExperimentSummary = {
  id: string
  name: string
  createdBy: string
  createdAt: string
  subjects: Subject[]
  inputs: number
  /** How many of its runs have ended, and how many there are to be. */
  done: number
  total: number
}
export type Experiment = Omit<ExperimentSummary, 'inputs' | 'done' | 'total'> & {
  inputs: string[]
  checks: Check[]
  pairs: Pair[]
  /** The console starts its runs now; otherwise pairs that wait are not started. */
  isRunning: boolean
  isStopped: boolean
}
export type InputSet = { id: string; name: string; inputs: string[] }

/** How an assistant is called in a table: its name, version and deployment, and its revision if it is pinned. */
export const subjectLabel = ({ name, version, deploymentName, isPinned, revision }: Subject): string =>
  `${name}${version === null ? '' : ` v${version}`} on ${deploymentName}${isPinned ? `, ${revisionName(revision)}` : ''}`

export const revisionName = (id: string | null): string => (id === null ? 'no revision' : `revision ${id.slice(0, 8)}`)

/**
 * The revision that gave a result; undefined if there is none, null if it is unknown. `isInferred`: earlier versions of the
 * console did not look at each run, so it is the one that served when the experiment was created.
 */
export function revisionOf(
  result: PairResult | null,
  { revision }: Pick<Subject, 'revision'>,
): { id: string | null; isInferred: boolean } | undefined {
  if (!result || revision === null) return undefined
  return result.revision === undefined ? { id: revision, isInferred: true } : { id: result.revision, isInferred: false }
}

/** The name of each column: its title, or what runs in it; numbered where several would be called the same. */
export function columnNames(subjects: readonly Subject[]): string[] {
  const names = subjects.map((one) => one.title || subjectLabel(one))
  return names.map((name, at) => {
    const before = names.slice(0, at).filter((one) => one === name).length
    return before > 0 || names.indexOf(name, at + 1) >= 0 ? `${name} (${before + 1})` : name
  })
}

/** An input in words: the text of a single message, else its JSON. */
export function inputPreview(text: string): string {
  try {
    const value = JSON.parse(text) as { messages?: { content?: unknown }[] } | null
    const messages = value?.messages
    const only = Array.isArray(messages) && messages.length === 1 ? messages[0]?.content : undefined
    return typeof only === 'string' && Object.keys(value ?? {}).length === 1 ? only : text
  } catch {
    return text
  }
}

/** The input of a graph of messages that says this. */
export const messageInput = (content: string): string => JSON.stringify({ messages: [{ role: 'user', content }] })

/** The inputs of JSON Lines: a text is a message, an object the whole input. `problem` names the first wrong line. */
export function readJsonLines(text: string): { inputs: string[]; problem?: string } {
  const inputs: string[] = []
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue
    let value: unknown
    try {
      value = JSON.parse(line)
    } catch {
      return { inputs: [], problem: `Line ${index + 1} is not JSON.` }
    }
    if (typeof value === 'string') inputs.push(messageInput(value))
    else if (typeof value === 'object' && value !== null && !Array.isArray(value)) inputs.push(line.trim())
    else return { inputs: [], problem: `Line ${index + 1} is neither an object nor a text.` }
  }
  return { inputs }
}
