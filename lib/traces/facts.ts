import { isRecord } from '@/lib/json/guards'
import { countOf, get, listOf, textOf } from './blocks/values'
import { type LoggedRun, metadataOf } from './detect'

/** Facts about a model run: model, provider, token counts, time to first token. */

/** The model's name, from the first of the documented places. */
export const modelOf = (run: LoggedRun): string | undefined =>
  textOf(metadataOf(run).ls_model_name) ?? textOf(get(run.inputs, 'model')) ?? textOf(get(run.inputs, 'model_name'))

/** The provider as logged, or as the names of the SDKs' wrappers tell. */
export const providerOf = (run: LoggedRun): string | undefined =>
  textOf(metadataOf(run).ls_provider) ??
  providerOfVercel(run) ??
  (MODEL_TYPES.has(run.run_type) ? providerOfName(run.name) : undefined)

const MODEL_TYPES = new Set<unknown>(['llm', 'embedding', undefined])

/** The AI SDK names its runs by provider and API, such as `google.generative-ai`. */
const providerOfVercel = (run: LoggedRun): string | undefined =>
  metadataOf(run).ls_integration === 'vercel-ai-sdk' && run.run_type !== 'tool' && typeof run.name === 'string'
    ? textOf(/^([\w-]+)\.[\w.-]+$/.exec(run.name)?.[1])
    : undefined

/** How runs of wrapped clients and chat models are named. */
const RUN_NAMES: [RegExp, string][] = [
  [/^Azure(Chat)?OpenAI/, 'azure'],
  [/^(Chat)?OpenAI/, 'openai'],
  [/^ChatAnthropic|^Anthropic/, 'anthropic'],
  [/^ChatVertexAI/, 'google_vertexai'],
  [/^ChatGoogle|^GoogleGenerativeAI/, 'google_genai'],
  [/^ChatMistral/, 'mistral'],
  [/^ChatOllama/, 'ollama'],
  [/^ChatBedrock|^BedrockChat/, 'amazon_bedrock'],
  [/^ChatGroq/, 'groq'],
  [/^ChatDeepSeek/, 'deepseek'],
  [/^ChatXAI/, 'xai'],
]
const providerOfName = (name: unknown): string | undefined =>
  typeof name === 'string' ? RUN_NAMES.find(([pattern]) => pattern.test(name))?.[1] : undefined

export type Usage = {
  input: number
  output: number
  total: number
  /** Parts of `input` and `output` under the providers' names; included in those. */
  inputDetails: Record<string, number>
  outputDetails: Record<string, number>
  /** Logged costs in US dollars. */
  inputCost: number | undefined
  outputCost: number | undefined
  totalCost: number | undefined
}

/**
 * The token counts of a run, from the first place that has any; undefined if none has. Only sum them over runs of type
 * `llm`, because a parent may repeat its child's.
 */
export function usageOf(run: LoggedRun): Usage | undefined {
  const { outputs } = run
  // One SDK's `end({ outputs })` nests them like this.
  const inner = get(outputs, 'outputs')
  return (
    readUsage(get(outputs, 'usage_metadata')) ??
    readUsage(get(inner, 'usage_metadata')) ??
    readUsage(metadataOf(run).usage_metadata) ??
    sumOfMessages(outputs) ??
    readUsage(get(outputs, 'usage')) ??
    readUsage(get(inner, 'usage')) ??
    readUsage(get(outputs, 'llm_output', 'tokenUsage')) ??
    readUsage(get(outputs, 'llm_output', 'token_usage'))
  )
}

/** Usage in the messages of an output: of one, or the sum of several generations. */
function sumOfMessages(outputs: unknown): Usage | undefined {
  const generated = listOf(get(outputs, 'generations')).flat(1)
  const messages = [
    ...generated.map((one) => get(one, 'message')),
    ...listOf(get(outputs, 'choices')).map((one) => get(one, 'message')),
    ...listOf(get(outputs, 'messages')),
    get(outputs, 'message'),
  ]
  const found = messages.flatMap(
    (one) => readUsage(get(one, 'kwargs', 'usage_metadata')) ?? readUsage(get(one, 'usage_metadata')) ?? [],
  )
  return found.length > 1 ? found.reduce(add) : found[0]
}

const add = (left: Usage, right: Usage): Usage => ({
  input: left.input + right.input,
  output: left.output + right.output,
  total: left.total + right.total,
  inputDetails: addParts(left.inputDetails, right.inputDetails),
  outputDetails: addParts(left.outputDetails, right.outputDetails),
  inputCost: addKnown(left.inputCost, right.inputCost),
  outputCost: addKnown(left.outputCost, right.outputCost),
  totalCost: addKnown(left.totalCost, right.totalCost),
})
const addParts = (left: Record<string, number>, right: Record<string, number>) => {
  const sum = new Map(Object.entries(left))
  for (const [name, count] of Object.entries(right)) sum.set(name, (sum.get(name) ?? 0) + count)
  return Object.fromEntries(sum)
}
const addKnown = (left: number | undefined, right: number | undefined) =>
  left === undefined ? right : right === undefined ? left : left + right

/** Token counts as the interface, chat completions, the messages API and Gemini write them. Undefined if there are none. */
export function readUsage(value: unknown): Usage | undefined {
  if (!isRecord(value)) return undefined
  const first = (...keys: string[]) =>
    keys.map((key) => countOf(value[key]) ?? countOf(get(value[key], 'total'))).find((count) => count !== undefined)
  const input = first('input_tokens', 'prompt_tokens', 'promptTokens', 'inputTokens', 'promptTokenCount')
  const output = first('output_tokens', 'completion_tokens', 'completionTokens', 'outputTokens', 'candidatesTokenCount')
  const total = first('total_tokens', 'totalTokens', 'totalTokenCount')
  const costs = {
    inputCost: money(value.input_cost),
    outputCost: money(value.output_cost),
    totalCost: money(value.total_cost),
  }
  const isEmpty = [input, output, total, ...Object.values(costs)].every((one) => one === undefined)
  if (isEmpty) return undefined
  // The provider's raw counts exclude cached input from `input_tokens`; the other spellings include it.
  const cached = value.input_token_details ? 0 : sumOf(value.cache_read_input_tokens, value.cache_creation_input_tokens)
  const whole = (input ?? 0) + cached
  // Gemini's total alone counts the reasoning, which is billed as output.
  const beyond = total !== undefined && input !== undefined && total > whole + (output ?? 0)
  const all = beyond ? total - whole : (output ?? 0)
  return {
    input: whole,
    output: all,
    total: total ?? whole + all,
    inputDetails: {
      ...(countOf(value.cache_read_input_tokens) && { cache_read: Number(value.cache_read_input_tokens) }),
      ...(countOf(value.cache_creation_input_tokens) && { cache_creation: Number(value.cache_creation_input_tokens) }),
      ...(countOf(value.cachedContentTokenCount) && { cache_read: Number(value.cachedContentTokenCount) }),
      ...details(value.cache_creation),
      ...details(value.inputTokens),
      ...details(value.prompt_tokens_details ?? value.input_tokens_details),
      ...details(value.input_token_details),
    },
    outputDetails: {
      ...(countOf(value.thoughtsTokenCount) && { reasoning: Number(value.thoughtsTokenCount) }),
      ...details(value.outputTokens),
      ...details(value.completion_tokens_details ?? value.output_tokens_details),
      ...details(value.output_token_details),
    },
    ...costs,
  }
}

const sumOf = (...values: unknown[]): number => values.reduce<number>((sum, one) => sum + (countOf(one) ?? 0), 0)

/** Providers' names of details, in the interface's spelling. One SDK writes `1hr` for `1h`. */
const DETAILS: Record<string, string> = {
  cached_tokens: 'cache_read',
  reasoning_tokens: 'reasoning',
  audio_tokens: 'audio',
  text_tokens: 'text',
  image_tokens: 'image',
  ephemeral_1hr_input_tokens: 'ephemeral_1h_input_tokens',
  cacheRead: 'cache_read',
  cacheWrite: 'cache_creation',
}
/** Counts that are no parts: of the whole, or of what is left. */
const NO_PARTS = new Set(['total', 'noCache'])
const details = (value: unknown): Record<string, number> =>
  Object.fromEntries(
    Object.entries(isRecord(value) ? value : {}).flatMap(([key, count]) =>
      countOf(count) && !NO_PARTS.has(key) ? [[Object.hasOwn(DETAILS, key) ? DETAILS[key] : key, count]] : [],
    ),
  ) as Record<string, number>

const money = (value: unknown): number | undefined => {
  const amount = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  return countOf(amount)
}

/** Epoch milliseconds of a logged time: ISO text (with microseconds as a fraction), or a number of milliseconds. */
export function timeOf(value: unknown): number | undefined {
  if (typeof value === 'number') return Number.isFinite(value) && Math.abs(value) < 8.64e15 ? value : undefined
  if (typeof value !== 'string' || value === '') return undefined
  if (/^\d{12,16}(\.\d+)?$/.test(value)) return timeOf(Number(value))
  // A time without a zone is UTC, as servers in other languages write it.
  const text = /[Zz]$|[+-]\d\d:?\d\d$/.test(value) || !value.includes('T') ? value : `${value}Z`
  const ms = Date.parse(text)
  if (Number.isNaN(ms)) return undefined
  // Date keeps milliseconds; the digits after them order siblings.
  const rest = /\.\d{3}(\d{1,6})/.exec(text)?.[1]
  return rest ? ms + Number(`0.${rest}`) : ms
}

/** When the first token came: the first `new_token` event. */
export function firstTokenTime(run: LoggedRun): number | undefined {
  for (const event of listOf(run.events)) if (get(event, 'name') === 'new_token') return timeOf(get(event, 'time'))
  return undefined
}

/**
 * Milliseconds from a run's start to its first token; undefined if either is unknown, or if the clock went backwards by
 * more than the microseconds that SDKs use to order siblings.
 */
export function timeToFirstToken(run: LoggedRun): number | undefined {
  const start = timeOf(run.start_time)
  const first = firstTokenTime(run)
  if (start === undefined || first === undefined || first <= start - 1) return undefined
  return Math.max(0, first - start)
}
