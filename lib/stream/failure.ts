import { isRecord } from '@/lib/json/guards'
import { jsonText } from '@/lib/json/value'
import { checkpointOf } from './checkpoint'
import type { RunView } from './run-view'
import type { Step, Track } from './steps'
import { displayNamespace, parseEventName } from './wire/namespaces'

/** What is known about a run's failure; undefined parts are unknown. */
export type Failure = {
  /** The innermost node that failed. */
  node: string | undefined
  /** Its subgraphs, for display. */
  place: string
  /** The exception's type. */
  type: string | undefined
  message: string
  /** The input of the node as JSON text, if the stream has tasks. */
  input: string | undefined
  /** The log entry at which the node began. */
  seq: number
  /** The thread's checkpoint before the failed step. */
  checkpoint: string | undefined
}

const NAMED = /^([A-Z]\w*(?:Error|Exception|Interrupt)): /

/** The names that servers give to any error. */
const ANY = new Set(['Error', 'Exception', ''])

const NO_REASON = 'The server gave no reason.'

/** Why a run failed; undefined if it did not. */
export function failureOf(view: RunView): Failure | undefined {
  if (view.outcome !== 'error' && view.outcome !== 'timeout') return undefined
  const failed = failedStep(view)
  const message = view.error?.message || failed?.step.error || view.reason || NO_REASON
  const known = NAMED.exec(message)?.[1]
  const name = view.error?.name ?? ''
  return {
    node: failed?.track.node ?? view.error?.namespace.at(-1)?.node,
    place: failed ? displayNamespace(failed.track.namespace) : '',
    type: view.outcome === 'timeout' ? 'Timeout' : ANY.has(name) ? known : name,
    message,
    input: failed && inputOf(view, failed.step),
    seq: failed?.step.startedSeq ?? 0,
    checkpoint: checkpointOf(parse(view.final?.state)),
  }
}

/** Of the failed steps of the last attempt, the innermost. */
function failedStep({ steps, run }: RunView): { track: Track; step: Step } | undefined {
  let found: { track: Track; step: Step } | undefined
  for (const track of steps.tracks.values()) {
    const step = track.steps.findLast(({ status, attempt }) => status === 'error' && attempt === run.attempt)
    if (step && (!found || track.namespace.length > found.track.namespace.length)) found = { track, step }
  }
  return found
}

/** The input in the event that began the step. */
function inputOf({ log }: RunView, step: Step): string | undefined {
  const entry = step.isInferred ? undefined : log.at(step.startedSeq)
  if (entry?.kind !== 'event') return undefined
  const data = parse(entry.data)
  const task = parseEventName(entry.event).mode === 'debug' && isRecord(data) ? data.payload : data
  return isRecord(task) && task.input !== undefined ? jsonText(task.input) : undefined
}

function parse(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The exception's type where a stack names it before the message. */
export function typeInStack(stack: string | undefined, message: string): string | undefined {
  const end = `: ${message.split('\n', 1)[0]}`
  const line = stack?.split('\n').find((one) => one.endsWith(end))
  return line && NAMED.exec(line)?.[1]
}

/** What is not known about a failure, in words. */
export const untoldOf = ({ node, type, message, input }: Failure, stack: string | undefined): string[] => [
  ...(message === NO_REASON ? ['message'] : []),
  ...(type || message !== NO_REASON ? [] : ['type of the error']),
  ...(node ? [] : ['node']),
  ...(stack ? [] : ['stack']),
  ...(input ? [] : ['input of the node']),
]

/** The failure for an issue or a chat, as Markdown. */
export function failureMarkdown(
  { node, place, type, message, input }: Failure,
  facts: readonly [string, string][],
  stack?: string,
): string {
  const fence = (text: string, language = '') => {
    const ticks = '`'.repeat(Math.max(3, ...[...text.matchAll(/`+/g)].map(([run]) => run.length + 1)))
    return `${ticks}${language}\n${text}\n${ticks}`
  }
  const where = node ? ` in \`${place ? `${place} › ` : ''}${node}\`` : ''
  return [
    `### ${type ?? 'Run failed'}${where}`,
    fence(message),
    facts.map(([name, value]) => `- ${name}: ${value}`).join('\n'),
    ...(stack ? ['**Stack**', fence(stack)] : []),
    ...(input ? ['**Input of the node**', fence(input, 'json')] : []),
  ].join('\n\n')
}
