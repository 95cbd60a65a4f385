import { type Detection, detectFormat, type LoggedRun } from './detect'
import { inputMessages, outputMessages } from './find-messages'
import { joinTools } from './join-tools'
import { type Flaw, flawsOf, type TraceMessage } from './message'

export type ReadRun = Detection & {
  /** Undefined where there are no messages in it: it is to be shown as the JSON it is. */
  inputs: readonly TraceMessage[] | undefined
  outputs: readonly TraceMessage[] | undefined
  /** All that is wrong, by path, in reading order. */
  flaws: readonly Flaw[]
}

/** The messages of one logged run, whatever was logged. Never throws. */
export function readRun(run: LoggedRun): ReadRun {
  const inputs = inputMessages(run.inputs)
  const outputs = outputMessages(run.outputs)
  const all = [...(inputs ?? []), ...(outputs ?? [])]
  return { ...detectFormat(run), inputs, outputs, flaws: [...all.flatMap(flawsOf), ...joinTools(all).flaws] }
}
