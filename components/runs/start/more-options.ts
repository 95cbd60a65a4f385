import { DURABILITIES } from '@/lib/contracts/agents/run-options'
import { isRecord } from '@/lib/json/guards'
import { parseJson, printJson } from '@/lib/json/lossless'
import { jsonText } from '@/lib/json/value'
import type { StartIssue } from './start-issues'
import { type MoreOptions, NO_MORE } from './start-options'

export type MoreBody = {
  interrupt_before?: '*' | string[]
  interrupt_after?: '*' | string[]
  config?: { tags?: string[]; recursion_limit?: number; configurable?: Record<string, unknown> }
  metadata?: Record<string, unknown>
  webhook?: string
  durability?: (typeof DURABILITIES)[number]
}

const listOf = (text: string): string[] =>
  text
    .split(',')
    .map((one) => one.trim())
    .filter(Boolean)
const nodesOf = (text: string): '*' | string[] => (text.trim() === '*' ? '*' : listOf(text))

/** The part of a run request that these options make, or what is wrong with them. */
export function moreBody(more: MoreOptions): { body: MoreBody; issues: StartIssue[] } {
  const issues: StartIssue[] = []
  const before = nodesOf(more.interruptBefore)
  const after = nodesOf(more.interruptAfter)
  const tags = listOf(more.tags)
  const limit = more.recursionLimit.trim()
  const hasLimit = /^[1-9]\d{0,6}$/.test(limit)
  if (limit !== '' && !hasLimit)
    issues.push({ field: 'more', path: 'Recursion limit', message: 'must be a whole number from 1.' })
  const metadata = objectIn(more.metadata)
  if (more.metadata.trim() !== '' && !metadata)
    issues.push({ field: 'more', path: 'Metadata', message: 'must be a JSON object.' })
  const durability = DURABILITIES.find((one) => one === more.durability)
  const config = {
    ...(tags.length > 0 && { tags }),
    ...(hasLimit && { recursion_limit: Number(limit) }),
  }
  return {
    body: {
      ...(before.length > 0 && { interrupt_before: before }),
      ...(after.length > 0 && { interrupt_after: after }),
      ...(Object.keys(config).length > 0 && { config }),
      ...(metadata && { metadata }),
      ...(more.webhook.trim() !== '' && { webhook: more.webhook.trim() }),
      ...(durability && { durability }),
    },
    issues,
  }
}

/** The fields of the parts of a request, and of its configuration. */
const PARTS = {
  interrupt_before: 'interruptBefore',
  interrupt_after: 'interruptAfter',
  durability: 'durability',
  metadata: 'metadata',
  webhook: 'webhook',
} as const
const CONFIG_PARTS = { tags: 'tags', recursion_limit: 'recursionLimit' } as const

/** The options of a request as typed. A part that its field cannot hold is left to the rest of the request. */
export function splitMore(request: Record<string, unknown>): { more: MoreOptions; rest: Record<string, unknown> } {
  const more = { ...NO_MORE }
  const rest: Record<string, unknown> = { ...request }
  const config: Record<string, unknown> = isRecord(request.config) ? { ...request.config } : {}
  const move = (
    from: Record<string, unknown>,
    part: string,
    key: keyof MoreOptions,
    bodyOf: (value: object) => object,
  ) => {
    const value = from[part]
    if (value === undefined) return
    const text = Array.isArray(value) ? value.join(', ') : isRecord(value) ? jsonText(value) : String(value)
    if (printJson(moreBody({ ...NO_MORE, [key]: text }).body) !== printJson(bodyOf({ [part]: value }))) return
    more[key] = text
    delete from[part]
  }
  for (const [part, key] of Object.entries(PARTS)) move(rest, part, key, (body) => body)
  for (const [part, key] of Object.entries(CONFIG_PARTS)) move(config, part, key, (body) => ({ config: body }))
  const { config: _config, ...others } = rest
  return { more, rest: Object.keys(config).length > 0 ? { ...others, config } : others }
}

function objectIn(text: string): Record<string, unknown> | undefined {
  if (text.trim() === '') return undefined
  try {
    const value = parseJson(text)
    return isRecord(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** Stored options, as far as they are usable. */
export function readMore(given: unknown): MoreOptions {
  if (!isRecord(given)) return NO_MORE
  const entries = Object.keys(NO_MORE).map((key) => [key, typeof given[key] === 'string' ? given[key] : ''])
  return Object.fromEntries(entries) as MoreOptions // the keys are its own
}
