import { jsonProblemText } from '@/components/shared/json/json-problem'
import { isRecord } from '@/lib/json/guards'
import { parseJson } from '@/lib/json/lossless'
import { type MoreBody, moreBody } from './more-options'
import type { InputIssue } from './schema/input-check'
import type { JsonSchema } from './schema/takes-messages'
import type { StartIssue } from './start-issues'
import type { Configuration, StartOptions } from './start-options'

/** The part of the run request that configures the run. */
export type ConfigurationBody = MoreBody & { context?: Record<string, unknown> }
/** The body of the run request. Numbers in input and context keep their digits. */
export type StartBody = ConfigurationBody & {
  assistant_id: string
  input: unknown
  checkpoint?: { checkpoint_id: string }
  stream_mode: StartOptions['modes']
  stream_subgraphs: boolean
  multitask_strategy?: StartOptions['multitask']
}
export type StartRequest = { ok: true; body: StartBody } | { ok: false; issues: StartIssue[] }

type Check = (schema: JsonSchema, input: unknown) => InputIssue[] | undefined

/**
 * The request's part for the configuration, and what is wrong with it. `isConfigured`: the graph reads a configuration in
 * place of a context.
 */
export function configurationBody(
  { context: text, more }: Configuration,
  isConfigured = false,
): { body: ConfigurationBody; issues: StartIssue[] } {
  const { body, issues } = moreBody(more)
  const context = text.trim() === '' ? { value: undefined } : readJson(text)
  const problem =
    'problem' in context
      ? context.problem
      : context.value !== undefined && !isRecord(context.value)
        ? 'The context must be a JSON object.'
        : undefined
  if (problem) issues.unshift({ field: 'context', path: '', message: problem })
  if (!('value' in context) || !isRecord(context.value)) return { body, issues }
  const part = isConfigured ? { config: { ...body.config, configurable: context.value } } : { context: context.value }
  return { body: { ...body, ...part }, issues }
}

export const modesIssues = ({ modes }: Pick<StartOptions, 'modes'>): StartIssue[] =>
  modes.length === 0 ? [{ field: 'modes', path: '', message: 'Choose at least one stream mode.' }] : []

/** The request for the form, or its validation issues. Omit `check` to send an input that does not match the schema. */
export function startRequest(
  options: StartOptions & { blocks?: readonly Record<string, unknown>[]; isConfigured?: boolean },
  json: string,
  schema: JsonSchema | undefined,
  check?: Check,
): StartRequest {
  const issues: StartIssue[] = []
  const checkpoint = options.threadKind === 'existing' ? options.checkpoint : ''
  if (options.assistant === '') issues.push({ field: 'assistant', path: '', message: 'Choose an assistant.' })
  if (options.threadKind === 'existing' && options.thread.trim() === '')
    issues.push({ field: 'thread', path: '', message: 'Choose a thread, or start a new one.' })
  issues.push(...modesIssues(options))

  const input = options.inputKind === 'message' ? messageInput(options.message, options.blocks ?? []) : readJson(json)
  if ('problem' in input) issues.push({ field: 'input', path: '', message: input.problem })
  else if (options.inputKind === 'json' && schema && check && !(checkpoint && input.value === null))
    // With plain numbers, because the schema checker takes lossless ones for objects.
    issues.push(...(check(schema, JSON.parse(json)) ?? []).map((issue) => ({ ...issue, field: 'input' as const })))

  const configuration = configurationBody(options, options.isConfigured)
  issues.push(...configuration.issues)

  if (issues.length > 0 || 'problem' in input) return { ok: false, issues }
  return {
    ok: true,
    body: {
      ...configuration.body,
      assistant_id: options.assistant,
      input: input.value,
      ...(checkpoint && { checkpoint: { checkpoint_id: checkpoint } }),
      stream_mode: options.modes,
      stream_subgraphs: options.subgraphs,
      // A stateless run has no thread, so it cannot conflict with another run.
      ...(options.threadKind !== 'stateless' && { multitask_strategy: options.multitask }),
    },
  }
}

type Read = { value: unknown } | { problem: string }

/** `blocks`: content that goes with the text, such as files. */
function messageInput(message: string, blocks: readonly Record<string, unknown>[]): Read {
  const hasText = message.trim() !== ''
  if (!hasText && blocks.length === 0) return { problem: 'Enter a message.' }
  const content = blocks.length === 0 ? message : [...(hasText ? [{ type: 'text', text: message }] : []), ...blocks]
  return { value: { messages: [{ role: 'user', content }] } }
}

/** The value of JSON text, or its first syntax error. */
export function readJson(text: string): Read {
  const problem = jsonProblemText(text)
  if (problem) return { problem }
  try {
    return { value: parseJson(text) }
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) }
  }
}
