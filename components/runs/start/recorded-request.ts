import { isRecord } from '@/lib/json/guards'
import { parseJson } from '@/lib/json/lossless'
import { resumeWith } from '@/lib/stream/answers'
import { kept } from '@/lib/stream/kept-request'

type Request = Record<string, unknown>

/** The request that a recording was started with; empty if unreadable. */
export function readRequest(text: string): Request {
  try {
    const value = parseJson(text)
    return isRecord(value) ? value : {}
  } catch {
    return {}
  }
}

/** The body of a run that answers interrupts of an earlier run on its thread. */
export const answerRequest = (
  request: string,
  assistant: string,
  answers: readonly { id: string; answer: unknown }[],
  openCount: number,
): Request => ({
  assistant_id: assistant,
  command: { resume: resumeWith(answers, openCount) },
  ...kept(readRequest(request)),
  // A second answer to the same interrupt must not run after the first.
  multitask_strategy: 'reject',
})

/** The body of a run that continues the thread without new input. */
export const continueRequest = (request: string, assistant: string): Request => ({
  assistant_id: assistant,
  input: null,
  ...kept(readRequest(request)),
  multitask_strategy: 'reject',
})
