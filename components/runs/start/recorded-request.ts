import { isRecord } from '@/lib/json/guards'
import { parseJson } from '@/lib/json/lossless'
import { resumeWith } from '@/lib/stream/answers'
import { kept } from '@/lib/stream/kept-request'

type Request = Record<string, unknown>

/** The request that a recording was started with; empty where it cannot be read. */
export function readRequest(text: string): Request {
  try {
    const value = parseJson(text)
    return isRecord(value) ? value : {}
  } catch {
    return {}
  }
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
