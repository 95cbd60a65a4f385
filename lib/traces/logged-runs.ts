import { isRecord } from '@/lib/json/guards'
import type { Flaw } from './blocks/message'
import { at, type Json, kindOf, listOf } from './blocks/values'
import type { LoggedRun } from './detect'
import { timeOf } from './facts'
import { isMessageLike } from './read-message'

/** A logged run as users may have it: the run, a batch, a list of messages, or one message. */

export type FoundRun = { run: LoggedRun /** Where it was in the input; empty for the whole. */; path: string }
export type FoundRuns = { runs: readonly FoundRun[] /** In words. */; as: string }

const TYPES = new Set(['tool', 'chain', 'llm', 'retriever', 'embedding', 'prompt', 'parser'])

/** Finds the runs in any value. There is always one: a value without a run is shown as the inputs of one. */
export function findRuns(value: unknown): FoundRuns {
  if (Array.isArray(value)) {
    if (value.some(isMessageLike)) return one({ inputs: { messages: value } }, 'a list of messages')
    if (value.length > 0 && value.every(isRunLike)) return { runs: listed(value, ''), as: 'a list of runs' }
    return one({ inputs: value }, 'something without messages')
  }
  if (!isRecord(value)) return one({ inputs: value }, typeof value === 'string' ? 'plain text' : kindOf(value))
  if (Array.isArray(value.post) || Array.isArray(value.patch))
    return {
      runs: [...listed(listOf(value.post), 'post'), ...listed(listOf(value.patch), 'patch')],
      as: 'a batch as SDKs send it',
    }
  if (Array.isArray(value.runs)) return { runs: listed(value.runs, 'runs'), as: 'a trace, or a page of runs' }
  if (isRunLike(value)) return one(value, 'a run')
  if (isMessageLike(value)) return one({ outputs: value }, 'one message')
  if (Array.isArray(value.messages) || value.prompt !== undefined) return one({ inputs: value }, 'the inputs of a run')
  if (['choices', 'generations', 'message', 'output', 'content'].some((key) => value[key] !== undefined))
    return one({ outputs: value }, 'the outputs of a run')
  if (typeof value.type === 'string') return one(inMessage(value), 'one block of a message')
  return one({ inputs: value }, 'something without messages')
}

const one = (run: LoggedRun, as: string): FoundRuns => ({ runs: [{ run, path: '' }], as })
const listed = (list: readonly unknown[], key: string): FoundRun[] =>
  list.map((run, index) => ({ run: isRecord(run) ? run : { inputs: run }, path: at(key, index) }))

const isRunLike = (value: unknown): boolean =>
  isRecord(value) && ['inputs', 'outputs', 'run_type', 'dotted_order', 'trace_id'].some((key) => key in value)

const BY_USER = new Set(['image', 'file', 'audio', 'video', 'image_url', 'input_audio', 'document', 'tool_result'])
const ITEMS = new Set(['function_call', 'function_call_output', 'web_search_call'])

/** Wraps a block in a message that can contain it. */
export function inMessage(block: Json): LoggedRun {
  const type = String(block.type)
  // The Responses API has these next to its messages.
  if (ITEMS.has(type) || (type === 'reasoning' && block.summary !== undefined)) return { outputs: { output: [block] } }
  const message = (role: string) => ({ messages: [{ role, content: [block] }] })
  return BY_USER.has(type) || type.startsWith('input_')
    ? { inputs: message('user') }
    : { outputs: message('assistant') }
}

/** Problems of a run beyond its messages: what keeps a server from placing it in its tree or in time. */
export function runFlaws(run: LoggedRun & Json): Flaw[] {
  const flaws: Flaw[] = []
  const add = (path: string, reason: string) => flaws.push({ path, reason })
  const isWhole = 'run_type' in run || 'trace_id' in run || 'id' in run
  if (!isWhole) return flaws
  if (typeof run.id !== 'string' || run.id === '') add('id', 'A run needs an id')
  if (run.run_type !== undefined && !TYPES.has(String(run.run_type)))
    add('run_type', `${JSON.stringify(run.run_type)} is not one of ${[...TYPES].join(', ')}`)
  const [start, end] = [timeOf(run.start_time), timeOf(run.end_time)]
  if (start === undefined) add('start_time', 'Not a valid time: use ISO text or milliseconds since 1970')
  if (run.end_time !== undefined && run.end_time !== null && end === undefined)
    add('end_time', 'Not a valid time: use ISO text or milliseconds since 1970')
  if (start !== undefined && end !== undefined && end < start) add('end_time', 'It is before start_time')
  const order = run.dotted_order
  if (order !== undefined && order !== null) {
    const last = typeof order === 'string' ? order.split('.').at(-1) : undefined
    if (!last || !/^\d{8}T\d{12}Z/.test(last))
      add('dotted_order', 'Each part is a time, YYYYMMDDTHHMMSSffffffZ, and an id')
    else if (typeof run.id === 'string' && !last.endsWith(run.id))
      add('dotted_order', 'It does not end with the id of the run')
  }
  if (run.events !== undefined && run.events !== null && !Array.isArray(run.events))
    add('events', `A list of events, not ${kindOf(run.events)}`)
  return flaws
}
