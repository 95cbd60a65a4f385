import { type Block, type Flaw, flawsOf, type TraceMessage } from './blocks/message'
import { type Detection, detectFormat, type LoggedRun } from './detect'
import { documentsOf, vectorsOf } from './documents'
import { inputMessages, outputMessages } from './find-messages'
import { type Finish, finishOf } from './finish'
import { joinTools } from './join-tools'

export type ReadRun = Detection & {
  /** Undefined if it has no messages, so that its JSON is shown. */
  inputs: readonly TraceMessage[] | undefined
  outputs: readonly TraceMessage[] | undefined
  /** What a retriever found. */
  documents: readonly Block[] | undefined
  /** The dimensions of embeddings. */
  vectors: readonly number[] | undefined
  /** Why the model stopped; undefined for other runs, and if nothing tells. */
  finish: Finish | undefined
  /** All flaws with their paths, in reading order. */
  flaws: readonly Flaw[]
}

/** Reads the messages of a logged run in any form. Never throws. */
export function readRun(run: LoggedRun): ReadRun {
  const inputs = inputMessages(run.inputs)
  const outputs = outputMessages(run.outputs)
  const all = [...(inputs ?? []), ...(outputs ?? [])]
  const flaws = [...all.flatMap(flawsOf), ...joinTools(all).flaws]
  const [documents, vectors] = [documentsOf(run.outputs), vectorsOf(run.outputs)]
  return { ...detectFormat(run), documents, vectors, inputs, outputs, finish: finishOfRun(run, outputs), flaws }
}

/** A refusal counts more than the reason that the provider gives: it says that the model simply stopped. */
function finishOfRun(run: LoggedRun, outputs: readonly TraceMessage[] | undefined): Finish | undefined {
  const finish = run.run_type === undefined || run.run_type === 'llm' ? finishOf(run.outputs) : undefined
  const isRefused = outputs?.at(-1)?.blocks.some((block) => block.type === 'refusal')
  return isRefused && (!finish || finish.kind === 'stop')
    ? { kind: 'refusal', given: finish?.given ?? 'refusal' }
    : finish
}
