import { isJsonObject, parseJson } from '@/lib/contracts/json'
import { resumeWith } from '@/lib/stream/answers'

type Request = Record<string, unknown>

/** The request that a recording was started with; empty where it cannot be read. */
export function readRequest(text: string): Request {
  try {
    const value = parseJson(text)
    return isJsonObject(value) ? value : {}
  } catch {
    return {}
  }
}

/** What a run that goes on takes over from the one before: how it is streamed and configured, never what it was given. */
const KEPT = ['context', 'interrupt_before', 'interrupt_after', 'durability', 'stream_mode', 'stream_subgraphs']
/** Of its configuration: the rest holds what servers echo of headers, and places in the thread's history. */
const KEPT_CONFIG = ['tags', 'recursion_limit']

/** The part of a request that says how a run is streamed and configured. */
export function kept(request: Request): Request {
  const body: Request = {}
  for (const key of KEPT) if (request[key] !== undefined && request[key] !== null) body[key] = request[key]
  if (isJsonObject(request.config)) {
    const { config } = request
    const entries = KEPT_CONFIG.filter((key) => config[key] !== undefined && config[key] !== null)
    if (entries.length > 0) body.config = Object.fromEntries(entries.map((key) => [key, config[key]]))
  }
  return body
}

/** The body of a run that answers questions of an earlier run on its thread. */
export const answerRequest = (
  request: string,
  assistant: string,
  answers: readonly { id: string; answer: unknown }[],
  openCount: number,
): Request => ({
  assistant_id: assistant,
  command: { resume: resumeWith(answers, openCount) },
  ...kept(readRequest(request)),
  // Of two answers to one question the second must not run after the first.
  multitask_strategy: 'reject',
})

/** The body of a run that goes on from where the thread stands, with nothing new. */
export const continueRequest = (request: string, assistant: string): Request => ({
  assistant_id: assistant,
  input: null,
  ...kept(readRequest(request)),
  multitask_strategy: 'reject',
})
