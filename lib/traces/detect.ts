import { isRecord } from '@/lib/json/guards'
import { get, type Json, listOf, textOf } from './blocks/values'
import { FORMAT_OF_INTEGRATION, FORMAT_OF_METADATA, formatOfBlocks, type TraceFormat } from './formats'

/** The part of a logged run that is needed to read its messages. */
export type LoggedRun = {
  name?: unknown
  run_type?: unknown
  inputs?: unknown
  outputs?: unknown
  events?: unknown
  extra?: unknown
  start_time?: unknown
}

export type Detection = { format: TraceFormat | undefined /** The key or shape that decided. */; because: string }

export const metadataOf = (run: LoggedRun): Json => {
  const metadata = get(run.extra, 'metadata')
  return isRecord(metadata) ? metadata : {}
}

/**
 * The format of a logged run: from its metadata (a library's before the provider's), then from its shape. Messages and
 * blocks are read individually, so a wrong guess only costs a label.
 */
export function detectFormat(run: LoggedRun): Detection {
  const metadata = metadataOf(run)
  const marked = FORMAT_OF_METADATA.get(textOf(metadata.ls_message_format) ?? '')
  if (marked) return { format: marked, because: 'metadata.ls_message_format' }
  const integration = textOf(metadata.ls_integration) ?? ''
  const integrated = FORMAT_OF_INTEGRATION.get(integration)
  if (integrated === 'vercel' || metadata.ai_sdk_method !== undefined)
    return { format: 'vercel', because: 'metadata.ls_integration' }
  if (integrated === 'langchain') return shapeWins(run, 'langchain', 'metadata.ls_integration')
  for (const key of ['graph_id', 'langgraph_node', 'graph_node'])
    if (metadata[key] !== undefined) return shapeWins(run, 'langchain', `metadata.${key}`)
  const provider = textOf(metadata.ls_provider)
  if (provider === 'openai' || provider === 'azure') return openai(run, metadata, 'metadata.ls_provider')
  if (integration === 'openai-agents-sdk') return openai(run, metadata, 'metadata.ls_integration')
  if (integrated) return { format: integrated, because: 'metadata.ls_integration' }
  return byShape(run)
}

/**
 * A graph's metadata is also on what runs inside its nodes, such as a wrapped client's call in the client's form, so a
 * distinctive shape wins.
 */
function shapeWins(run: LoggedRun, format: TraceFormat, because: string): Detection {
  if (run.run_type !== 'llm') return { format, because }
  const shape = byShape(run)
  return shape.format === undefined || shape.because === 'plain text' ? { format, because } : shape
}

const openai = (run: LoggedRun, metadata: Json, because: string): Detection => {
  const isMarked = get(metadata.ls_invocation_params, 'use_responses_api') === true
  return isMarked || isResponses(run)
    ? { format: 'responses', because: isMarked ? 'metadata.ls_invocation_params' : because }
    : { format: 'completions', because }
}

const isResponses = ({ inputs, outputs }: LoggedRun): boolean => {
  const output = get(outputs, 'output')
  const isItems = (value: unknown) => listOf(value).some((one) => isRecord(one) && typeof one.type === 'string')
  return isItems(output) || (get(inputs, 'messages') === undefined && isItems(get(inputs, 'input')))
}

function byShape(run: LoggedRun): Detection {
  const { inputs, outputs } = run
  if (Array.isArray(get(outputs, 'generations'))) return { format: 'langchain', because: 'outputs.generations' }
  if (Array.isArray(get(outputs, 'choices'))) return { format: 'completions', because: 'outputs.choices' }
  const found = samples(inputs).concat(samples(outputs))
  for (const message of found) {
    if (message.lc !== undefined && isRecord(message.kwargs))
      return { format: 'langchain', because: 'a serialised class' }
    if (message.type === 'human' || message.type === 'ai')
      return { format: 'langchain', because: `type ${message.type}` }
    const calls = listOf(message.tool_calls)
    if (calls.some((call) => isRecord(get(call, 'function')))) return { format: 'completions', because: 'tool_calls' }
    const format = formatOfBlocks(listOf(message.content).map((block) => textOf(get(block, 'type')) ?? ''))
    if (format) return { format, because: 'its blocks' }
    if (listOf(message.content).some((block) => get(block, 'source') !== undefined))
      return { format: 'anthropic', because: 'its blocks' }
  }
  if (isResponses(run)) return { format: 'responses', because: 'its items' }
  if (get(inputs, 'system') !== undefined && get(inputs, 'messages') !== undefined)
    return { format: 'anthropic', because: 'inputs.system' }
  if (get(outputs, 'stop_reason') !== undefined) return { format: 'anthropic', because: 'outputs.stop_reason' }
  if (found.some((message) => listOf(message.content).length > 0)) return { format: 'own', because: 'its blocks' }
  if (found.length > 0) return { format: 'completions', because: 'plain text' }
  return { format: undefined, because: 'no messages' }
}

/** Objects near the top that may be messages; enough to tell the format. */
function samples(value: unknown): Json[] {
  const lists = [get(value, 'messages'), get(value, 'output'), get(value, 'input'), get(value, 'message'), value]
  const found = lists.flatMap((one) => (Array.isArray(one) ? one.flat(1).slice(0, 200) : [one])).filter(isRecord)
  return found.filter((one) => 'content' in one || 'kwargs' in one || 'tool_calls' in one)
}
