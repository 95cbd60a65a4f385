import { isRecord } from '@/lib/json/guards'
import type { TraceMessage } from './blocks/message'
import { at, get, type Json, listOf } from './blocks/values'
import { textsIn } from './leftover'
import { isMessageLike, isTuple, readMessage } from './read-message'

/**
 * Finds the messages in a run's inputs and outputs. The formats' places do not conflict, so one walk covers all of
 * them.
 */

type Side = 'user' | 'assistant'

/** Undefined if there are no messages, so that the value is shown as it is. */
export function inputMessages(inputs: unknown, path = 'inputs', depth = 0): TraceMessage[] | undefined {
  if (typeof inputs === 'string') return inputs === '' ? undefined : [readMessage(inputs, path)]
  if (Array.isArray(inputs)) return holdsMessages(inputs) ? listed(inputs, path, 'user') : undefined
  if (!isRecord(inputs) || depth > 3) return undefined
  const prompt = promptMessages(inputs, path)
  if (prompt) return prompt
  const config = isRecord(inputs.config) ? systemMessage(inputs.config, 'systemInstruction', at(path, 'config')) : []
  const system = [...systemMessage(inputs, 'system', path), ...systemMessage(inputs, 'instructions', path), ...config]
  for (const key of QUESTION_KEYS) {
    const value = inputs[key]
    if (Array.isArray(value) && (key === 'messages' || key === 'prompts' || holdsMessages(value)))
      return [...system, ...listed(value, at(path, key), 'user')]
    if (key !== 'messages' && typeof value === 'string') return [...system, readMessage(value, at(path, key))]
    if (isMessageLike(value)) return [...system, readMessage(value, at(path, key))]
  }
  // `traceable` wraps a function's arguments: a single one as `input`, several as `args`.
  const wrapped = inputMessages(inputs.input, at(path, 'input'), depth + 1) ?? firstArgument(inputs, path, depth)
  if (wrapped) return [...system, ...wrapped]
  if (isMessageLike(inputs)) return [readMessage(inputs, path)]
  if (system.every(isUnread)) return undefined
  // Next to instructions, a value that is no message would be hidden by them, unless its texts are listed.
  const others = QUESTION_KEYS.filter((key) => !isEmpty(inputs[key]) && textsIn(inputs[key]).length === 0).map((key) =>
    readMessage(inputs[key], at(path, key)),
  )
  return [...system, ...others]
}

/** Where a model is asked, in the order of precedence. */
const QUESTION_KEYS = ['messages', 'prompt', 'prompts', 'contents', 'input'] as const
const isUnread = ({ blocks }: TraceMessage): boolean => blocks.every(({ type }) => type === 'raw')
const isEmpty = (value: unknown): boolean =>
  value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0)

const firstArgument = (inputs: Json, path: string, depth: number) =>
  listOf(inputs.args).length === 0 || typeof listOf(inputs.args)[0] === 'string'
    ? undefined
    : inputMessages(listOf(inputs.args)[0], at(at(path, 'args'), 0), depth + 1)

/** Undefined if there are no messages. */
export function outputMessages(outputs: unknown, path = 'outputs', depth = 0): TraceMessage[] | undefined {
  if (typeof outputs === 'string') return outputs === '' ? undefined : [readMessage(outputs, path, 'assistant')]
  if (isTuple(outputs)) return [readMessage(outputs, path)]
  if (Array.isArray(outputs)) return holdsMessages(outputs) ? listed(outputs, path, 'assistant') : undefined
  if (!isRecord(outputs) || depth > 3) return undefined
  const prompt = promptMessages(outputs, path)
  if (prompt) return prompt
  // A message is recognised before its keys are searched, because its content is not a list of messages.
  if (isMessageLike(outputs)) return [readMessage(outputs, path, 'assistant')]
  if (Array.isArray(outputs.generations)) return generations(outputs.generations, at(path, 'generations'))
  if (Array.isArray(outputs.choices)) return choices(outputs.choices, at(path, 'choices'))
  if (Array.isArray(outputs.messages)) return listed(outputs.messages, at(path, 'messages'), 'assistant')
  if (isRecord(outputs.message) || isTuple(outputs.message))
    return [readMessage(outputs.message, at(path, 'message'), 'assistant')]
  for (const key of ['output', 'update', 'outputs', 'response'] as const) {
    const inner = updates(outputs[key], at(path, key), depth) ?? outputMessages(outputs[key], at(path, key), depth + 1)
    if (inner) return inner
  }
  return looseMessage(outputs, path)
}

/** A prompt: a template's result as a serialised class. */
const promptMessages = (value: Json, path: string): TraceMessage[] | undefined => {
  const messages = value.lc === undefined ? undefined : get(value.kwargs, 'messages')
  return Array.isArray(messages) ? listed(messages, at(at(path, 'kwargs'), 'messages'), 'user') : undefined
}

/** The commands of a graph's node: `[{ lg_name: 'Command', update: { messages } }]`. */
function updates(value: unknown, path: string, depth: number): TraceMessage[] | undefined {
  if (!Array.isArray(value) || !value.some((one) => isRecord(get(one, 'update')))) return undefined
  const found = value.flatMap((one, index) =>
    isMessageLike(one)
      ? [readMessage(one, at(path, index), 'assistant')]
      : (outputMessages(get(one, 'update'), at(at(path, index), 'update'), depth + 1) ?? []),
  )
  return found.length > 0 ? found : undefined
}

/** A reply without a role: `{content}`, or `{text, toolCalls}`. */
function looseMessage(outputs: Json, path: string): TraceMessage[] | undefined {
  const { content, text, toolCalls } = outputs
  const hasContent = typeof content === 'string' || (Array.isArray(content) && content.length > 0)
  if (hasContent) return [{ ...readMessage({ role: 'assistant', ...outputs }, path), raw: outputs }]
  if (typeof text !== 'string' && !Array.isArray(toolCalls)) return undefined
  const calls = listOf(toolCalls).map((call) => (isRecord(call) ? { type: 'tool-call', ...call } : call))
  const written = typeof text === 'string' && text !== '' ? [{ type: 'text', text }] : []
  return [{ ...readMessage({ role: 'assistant', content: [...written, ...calls] }, path), raw: outputs }]
}

const generations = (given: readonly unknown[], path: string): TraceMessage[] =>
  given.flatMap((inner, index) =>
    (Array.isArray(inner) ? inner : [inner]).map((one, place) => {
      const here = Array.isArray(inner) ? at(at(path, index), place) : at(path, index)
      const message = get(one, 'message')
      if (message !== undefined) return readMessage(message, at(here, 'message'), 'assistant')
      const text = get(one, 'text')
      return typeof text === 'string'
        ? readMessage(text, at(here, 'text'), 'assistant')
        : readMessage(one, here, 'assistant')
    }),
  )

const choices = (given: readonly unknown[], path: string): TraceMessage[] =>
  given.map((choice, index) => {
    const here = at(path, index)
    for (const key of ['message', 'delta', 'text'] as const) {
      const value = get(choice, key)
      if (value !== undefined && value !== null) return readMessage(value, at(here, key), 'assistant')
    }
    return readMessage(choice, here, 'assistant')
  })

function systemMessage(inputs: Json, key: string, path: string): TraceMessage[] {
  const given = inputs[key]
  // Gemini's is a message, or its parts.
  const value = isRecord(given) ? (given.parts ?? given.content ?? given) : given
  if (isEmpty(value) || (isRecord(value) && textsIn(value).length > 0)) return []
  const message = readMessage({ role: 'system', content: value }, at(path, key))
  // The content is at the key itself, without a message around it.
  const moved = message.blocks.map((block, index) => {
    const [first] = block.places
    const place = { path: Array.isArray(value) ? at(at(path, key), index) : at(path, key), raw: first.raw }
    const flaws = block.flaws.map((flaw) => ({ ...flaw, path: flaw.path.replace('.content', '') }))
    return { ...block, places: [place] as const, flaws }
  })
  return [{ ...message, blocks: moved, raw: value }]
}

const holdsMessages = (list: readonly unknown[]): boolean =>
  list.some((one) => isMessageLike(one) || (Array.isArray(one) && one.some(isMessageLike)))

/** A list of messages, or a list of such lists, because chat models can be called with several. */
function listed(list: readonly unknown[], path: string, side: Side): TraceMessage[] {
  if (isTuple(list)) return [readMessage(list, path)]
  return list.flatMap((one, index) => {
    const here = at(path, index)
    if (!Array.isArray(one) || isTuple(one)) return [readMessage(one, here, side)]
    return one.map((inner, place) => readMessage(inner, at(here, place), side))
  })
}
