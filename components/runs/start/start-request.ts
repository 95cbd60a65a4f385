import { jsonProblemText } from '@/components/shared/json/json-problem'
import { isRecord } from '@/lib/json/guards'
import { parseJson } from '@/lib/json/lossless'
import { type MoreBody, moreBody } from './more-options'
import type { InputIssue } from './schema/input-check'
import type { JsonSchema } from './schema/takes-messages'
import type { StartIssue } from './start-issues'
import type { StartOptions } from './start-options'

/** The body of the run request. Numbers in input and context keep their digits. */
export type StartBody = {
  assistant_id: string
  input: unknown
  context?: Record<string, unknown>
  checkpoint?: { checkpoint_id: string }
  stream_mode: StartOptions['modes']
  stream_subgraphs: boolean
  multitask_strategy?: StartOptions['multitask']
} & MoreBody
export type StartRequest = { ok: true; body: StartBody } | { ok: false; issues: StartIssue[] }

type Check = (schema: JsonSchema, input: unknown) => InputIssue[] | undefined

/** The request for the form, or its validation issues. Omit `check` to send an input that does not match the schema. */
export function startRequest(
  options: StartOptions & { blocks?: readonly Record<string, unknown>[] },
  json: string,
  schema: JsonSchema | undefined,
  check?: Check,
): StartRequest {
  const issues: StartIssue[] = []
  const checkpoint = options.threadKind === 'existing' ? options.checkpoint : ''
  if (options.assistant === '') issues.push({ field: 'assistant', path: '', message: 'Choose an assistant.' })
  if (options.threadKind === 'existing' && options.thread.trim() === '')
    issues.push({ field: 'thread', path: '', message: 'Choose a thread, or start a new one.' })
  if (options.modes.length === 0) issues.push({ field: 'modes', path: '', message: 'Choose at least one stream mode.' })

  const input = options.inputKind === 'message' ? messageInput(options.message, options.blocks ?? []) : readJson(json)
  if ('problem' in input) issues.push({ field: 'input', path: '', message: input.problem })
  else if (options.inputKind === 'json' && schema && check && !(checkpoint && input.value === null))
    // With plain numbers, because the schema checker takes lossless ones for objects.
    issues.push(...(check(schema, JSON.parse(json)) ?? []).map((issue) => ({ ...issue, field: 'input' as const })))

  const context = options.context.trim() === '' ? { value: undefined } : readJson(options.context)
  if ('problem' in context) issues.push({ field: 'context', path: '', message: context.problem })
  else if (context.value !== undefined && !isRecord(context.value))
    issues.push({ field: 'context', path: '', message: 'The context must be a JSON object.' })

  const more = moreBody(options.more)
  issues.push(...more.issues)

  if (issues.length > 0 || 'problem' in input || 'problem' in context) return { ok: false, issues }
  return {
    ok: true,
    body: {
      ...more.body,
      assistant_id: options.assistant,
      input: input.value,
      ...(isRecord(context.value) && { context: context.value }),
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
