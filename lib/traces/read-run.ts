import { type Detection, detectFormat, type LoggedRun } from './detect'
import { inputMessages, outputMessages } from './find-messages'
import { joinTools } from './join-tools'
import { type Flaw, flawsOf, type TraceMessage } from './message'

export type ReadRun = Detection & {
  /** Undefined if it has no messages, so that its JSON is shown. */
  inputs: readonly TraceMessage[] | undefined
  outputs: readonly TraceMessage[] | undefined
  /** All flaws with their paths, in reading order. */
  flaws: readonly Flaw[]
}

/** Reads the messages of a logged run in any form. Never throws. */
export function readRun(run: LoggedRun): ReadRun {
  const inputs = inputMessages(run.inputs)
  const outputs = outputMessages(run.outputs)
  const all = [...(inputs ?? []), ...(outputs ?? [])]
  return { ...detectFormat(run), inputs, outputs, flaws: [...all.flatMap(flawsOf), ...joinTools(all).flaws] }
}
