import { MULTITASK_STRATEGIES } from '@/lib/contracts/agents/run-options'
import { OFFERED_STREAM_MODES, type StreamMode } from '@/lib/contracts/wire/stream-modes'
import { isRecord } from '@/lib/json/guards'
import { readMore } from './more-options'
import type { StartOptions } from './start-options'

/** The form as template text. Keys have a fixed order, so that equal forms make equal texts. */
export function templateBody(options: StartOptions): string {
  const { assistant, threadKind, inputKind, message, json, context, modes, subgraphs, multitask, more } = options
  return JSON.stringify({
    assistant,
    // The thread is not part of a template.
    threadKind: threadKind === 'stateless' ? 'stateless' : 'new',
    inputKind,
    message,
    json: json ?? null,
    context,
    modes,
    subgraphs,
    multitask,
    ...(Object.values(more).some(Boolean) && { more }),
  })
}

/** The usable options of a stored template; undefined if it is not a template. */
export function readTemplate(body: string): Partial<StartOptions> | undefined {
  const given = parsed(body)
  if (!given) return undefined
  const modes = Array.isArray(given.modes) ? known(given.modes) : []
  const multitask = MULTITASK_STRATEGIES.find((one) => one === given.multitask)
  const text = (key: string) => (typeof given[key] === 'string' ? given[key] : undefined)
  const [assistant, message, context] = [text('assistant'), text('message'), text('context')]
  return {
    ...(assistant !== undefined && { assistant }),
    ...(message !== undefined && { message }),
    ...(context !== undefined && { context }),
    ...(given.inputKind === 'message' || given.inputKind === 'json' ? { inputKind: given.inputKind } : {}),
    json: text('json'),
    ...(modes.length > 0 && { modes }),
    ...(typeof given.subgraphs === 'boolean' && { subgraphs: given.subgraphs }),
    ...(multitask && { multitask }),
    ...(isRecord(given.more) && { more: readMore(given.more) }),
    ...(given.threadKind === 'stateless' || given.threadKind === 'new' ? { threadKind: given.threadKind } : {}),
  }
}

/** The form with a template applied. Keeps the chosen thread, unless the template is for stateless runs. */
export const withTemplate = (options: StartOptions, template: Partial<StartOptions>): StartOptions => ({
  ...options,
  ...template,
  threadKind:
    template.threadKind === 'stateless' || options.threadKind !== 'existing'
      ? (template.threadKind ?? options.threadKind)
      : 'existing',
})

function parsed(body: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(body)
    return isRecord(value) ? value : undefined
  } catch {
    return undefined
  }
}

const known = (modes: readonly unknown[]): StreamMode[] => OFFERED_STREAM_MODES.filter((mode) => modes.includes(mode))
