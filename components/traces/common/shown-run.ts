import type { LoggedRun } from '@/lib/traces/detect'
import { usageOf } from '@/lib/traces/facts'
import { type Leftover, leftoverOf } from '@/lib/traces/leftover'
import { type ReadRun, readRun } from '@/lib/traces/read-run'
import { type CallSettings, settingsOf, settingTexts } from '@/lib/traces/settings'
import { type LoggedMessage, shownMessages } from './shown-messages'
import { shownTexts } from './shown-texts'

/** One side of a run as it is shown: as messages, with the texts that are in none of them. Without messages it is JSON. */
export type ShownSide = {
  messages: readonly LoggedMessage[] | undefined
  /** How many messages were logged; a result may be shown at its call. */
  amount: number | undefined
  rest: readonly Leftover[]
}
export type ShownRun = { read: ReadRun; settings: CallSettings | undefined; inputs: ShownSide; outputs: ShownSide }
/** What a page needs of it, without the messages as they were read. */
export type RunView = Omit<ShownRun, 'read'> & { read: Omit<ReadRun, 'inputs' | 'outputs'> }

/** All that the page of a run shows of its inputs and outputs. */
export function shownRun(run: LoggedRun): ShownRun {
  const read = readRun(run)
  const settings = read.inputs && run.run_type === 'llm' ? settingsOf(run) : undefined
  const inputs = read.inputs && shownMessages(read.inputs)
  const outputs = read.outputs && shownMessages(read.outputs, { finish: read.finish, usage: usageOf(run) })
  const side = (name: 'inputs' | 'outputs', messages: LoggedMessage[] | undefined, others: string[] = []) => ({
    messages,
    amount: read[name]?.length,
    rest: messages ? leftoverOf(run[name], name, [...shownTexts(messages), ...others]) : [],
  })
  return {
    ...{ read, settings },
    ...{ inputs: side('inputs', inputs, settingTexts(settings)), outputs: side('outputs', outputs) },
  }
}

export function runView(run: LoggedRun): RunView {
  const { read, ...shown } = shownRun(run)
  const { inputs, outputs, ...rest } = read
  return { ...shown, read: rest }
}
