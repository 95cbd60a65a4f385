import { MULTITASK_STRATEGIES } from '@/lib/contracts/agents/run-options'
import { OFFERED_STREAM_MODES } from '@/lib/contracts/wire/stream-modes'
import { isRecord } from '@/lib/json/guards'
import { jsonText } from '@/lib/json/value'
import { kept } from '@/lib/stream/kept-request'
import { splitMore } from './more-options'
import { readRequest } from './recorded-request'
import { type Configuration, initialOptions, type StartOptions } from './start-options'

/** The parts of a recording that prefill the form. */
export type Recorded = { id: string; request: string; assistant: string; thread: string | null; isStateless: boolean }
export type Prefill = {
  options: StartOptions
  /** Parts of the request without a field in the form. They are sent unchanged, unless the form has them too. */
  rest: Record<string, unknown>
}

/**
 * A recorded request as form options. On a new thread, because the old one has the run's own results; only a run without
 * input continues its thread. Answers to interrupts are left out.
 */
export function prefillFrom({ request, assistant, thread, isStateless }: Recorded): Prefill {
  const body = readRequest(request)
  const options = initialOptions(assistant, isStateless ? '' : (thread ?? ''))
  const message = singleMessage(body.input)
  const modes = [body.stream_mode].flat()
  const chosen = OFFERED_STREAM_MODES.filter((value) => modes.includes(value))
  const hasInput = body.input !== undefined && body.input !== null
  const strategy = MULTITASK_STRATEGIES.find((one) => one === body.multitask_strategy)
  const { context: _context, stream_mode: _modes, stream_subgraphs: _subgraphs, ...others } = kept(body)
  const { more, rest } = splitMore(others)
  return {
    options: {
      ...options,
      threadKind: isStateless ? 'stateless' : hasInput ? 'new' : options.threadKind,
      inputKind: message === undefined ? 'json' : 'message',
      message: message ?? '',
      // For a message too: the graph may take none by now.
      json: jsonText(body.input ?? null),
      modes: chosen.length > 0 ? chosen : options.modes,
      subgraphs: typeof body.stream_subgraphs === 'boolean' ? body.stream_subgraphs : options.subgraphs,
      multitask: strategy ?? options.multitask,
      context: isRecord(body.context) ? jsonText(body.context) : '',
      more,
    },
    rest,
  }
}

/** The configuration in the part of a request that `configurationBody` made. */
export function readConfiguration(text: string): Configuration {
  const { more, rest } = splitMore(readRequest(text))
  const configurable = isRecord(rest.config) ? rest.config.configurable : undefined
  const context = rest.context ?? configurable
  return { context: isRecord(context) ? jsonText(context) : '', more }
}

/** The request of the form, with the parts that have no field in it. */
export function withRest(rest: Record<string, unknown>, body: Record<string, unknown>): Record<string, unknown> {
  const config = { ...(isRecord(rest.config) && rest.config), ...(isRecord(body.config) && body.config) }
  return { ...rest, ...body, ...(Object.keys(config).length > 0 && { config }) }
}

/** The text of an input that is a single human message. */
export function singleMessage(input: unknown): string | undefined {
  if (!isRecord(input) || Object.keys(input).length !== 1 || !Array.isArray(input.messages)) return undefined
  const [one] = input.messages
  if (input.messages.length !== 1 || !isRecord(one) || typeof one.content !== 'string') return undefined
  const role = one.role ?? one.type
  const hasMore = Object.keys(one).some((key) => !['role', 'type', 'content'].includes(key))
  return (role === 'user' || role === 'human') && !hasMore ? one.content : undefined
}
