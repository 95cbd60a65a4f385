import { isRecord } from '@/lib/json/guards'
import { get, type Json, listOf, textOf } from './blocks/values'
import type { LoggedRun } from './detect'
import { metadataOf } from './detect'
import { textsIn } from './leftover'

/** A tool that the model could call. */
export type OfferedTool = { name: string; description?: string; schema?: unknown }
/** What a model was called with next to its messages. */
export type CallSettings = {
  tools: readonly OfferedTool[]
  /** The schema that the answer must follow. */
  responseFormat?: unknown
  /** Temperature, limits and the like, under the names of the SDK. */
  values: readonly [name: string, value: unknown][]
}

/** The parameters that decide what a model does, in the order in which they are shown. */
const VALUES = [
  ...['model', 'temperature', 'top_p', 'topP', 'top_k', 'topK', 'max_tokens', 'maxTokens', 'max_output_tokens'],
  ...['maxOutputTokens', 'max_completion_tokens', 'seed', 'n', 'stop', 'stop_sequences', 'stopSequences'],
  ...['frequency_penalty', 'frequencyPenalty', 'presence_penalty', 'presencePenalty', 'reasoning_effort', 'reasoning'],
  ...['thinking', 'thinkingConfig', 'verbosity', 'tool_choice', 'toolChoice', 'parallel_tool_calls', 'modalities'],
  ...['audio', 'service_tier', 'stream', 'store', 'include', 'previous_response_id', 'prompt_cache_key', 'truncation'],
] as const
const SCHEMAS = ['response_format', 'responseFormat', 'responseSchema', 'responseJsonSchema', 'output_config'] as const

/** What a model run was called with, from every place where SDKs log it; the first one counts. */
export function settingsOf(run: LoggedRun): CallSettings {
  const metadata = metadataOf(run)
  const invocation = get(run.extra, 'invocation_params')
  const places = [run.inputs, get(run.inputs, 'config'), invocation, metadata.ls_invocation_params].filter(isRecord)
  const first = (key: string) =>
    places.map((place) => place[key]).find((value) => value !== undefined && value !== null)
  const values = VALUES.flatMap((name): [string, unknown][] => {
    const value = first(name)
    return value === undefined ? [] : [[name, value]]
  })
  const format = SCHEMAS.map(first).find((value) => value !== undefined) ?? get(first('text'), 'format')
  const isPlain = get(format, 'type') === 'text'
  const tools = places.map((place) => toolsOf(place.tools)).find((list) => list.length > 0) ?? []
  return { tools, values, ...(format !== undefined && !isPlain && { responseFormat: format }) }
}

const toolsOf = (tools: unknown): OfferedTool[] =>
  (isRecord(tools) ? Object.values(tools) : listOf(tools)).flatMap((tool) => {
    const declared = listOf(get(tool, 'functionDeclarations'))
    if (declared.length > 0) return declared.flatMap((one) => (isRecord(one) ? [offered(one)] : []))
    return isRecord(tool) ? [offered(tool)] : []
  })

/** A tool in any provider's form; the provider's own have a type instead of a schema. */
function offered(tool: Json): OfferedTool {
  const body = isRecord(tool.function) ? tool.function : isRecord(tool.custom) ? tool.custom : tool
  const other = Object.keys(tool).find((key) => key !== 'type')
  const name = textOf(body.name) ?? textOf(body.server_label) ?? textOf(tool.type) ?? other ?? 'without a name'
  const schema =
    body.parameters ??
    body.input_schema ??
    body.inputSchema ??
    body.parametersJsonSchema ??
    body.schema ??
    ownOptions(tool)
  const description = textOf(body.description)
  return { name, ...(description && { description }), ...(schema !== undefined && { schema }) }
}

function ownOptions({ type: _, name: __, ...rest }: Json): unknown {
  return Object.keys(rest).length > 0 ? rest : undefined
}

/** The texts of what a model was called with, all of which are shown. */
export const settingTexts = (settings: CallSettings | undefined): string[] =>
  settings ? textsIn([settings.values, settings.tools, settings.responseFormat]) : []
