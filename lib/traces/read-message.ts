import { isRecord } from '@/lib/json/guards'
import type { Flaw, TraceMessage } from './blocks/message'
import { readBlock, readContent } from './blocks/read-block'
import { at, type Json, kindOf, listOf, textOf } from './blocks/values'
import { blocksOf, CONTENT_KEYS, contentKey } from './message-blocks'

/** The formats' names of roles. */
const ROLES: Record<string, TraceMessage['role']> = {
  system: 'system',
  developer: 'system',
  reasoning: 'reasoning',
  user: 'user',
  human: 'user',
  chat: 'user',
  assistant: 'assistant',
  ai: 'assistant',
  model: 'assistant',
  tool: 'tool',
  function: 'tool',
}
const roleOf = (given: string | undefined): TraceMessage['role'] => {
  const plain = given?.replace(/Message(Chunk)?$/, '').toLowerCase() ?? ''
  return Object.hasOwn(ROLES, plain) ? (ROLES[plain] as TraceMessage['role']) : 'unknown'
}

/** Items of the Responses API that are not messages, and their roles. */
const ITEM_ROLES: [RegExp, TraceMessage['role']][] = [
  [/_output$|^tool[-_]result$|^mcp_approval_response$/, 'tool'],
  [/_call$|^tool[-_]call$|^reasoning$|^item_reference$|^mcp_(list_tools|approval_request)$/, 'assistant'],
]

type Body = { body: Json; path: string; givenRole: string | undefined; name?: string | undefined }

/**
 * Reads a message in any logged form: `{role, content}`, `{type, content}`, `[role, content]`, plain text, a serialised
 * class, a Responses item. Anything else becomes a message with one raw block.
 */
export function readMessage(raw: unknown, path: string, fallbackRole: 'user' | 'assistant' = 'user'): TraceMessage {
  if (typeof raw === 'string') return { ...empty(raw, path), role: fallbackRole, blocks: readContent(raw, path) }
  if (isTuple(raw)) {
    const message = withRole(raw[0], empty(raw, path))
    return { ...message, blocks: readContent(raw[1], at(path, 1)) }
  }
  const item = isRecord(raw) ? itemRole(raw) : undefined
  if (isRecord(raw) && item) return readItem(raw, path, item)
  const found = isRecord(raw) ? unwrap(raw, path) : undefined
  if (!found || !isMessageBody(found)) return unknownMessage(raw, path)
  return readBody(raw, path, found)
}

/** `[role, content]`, as in prompts and single outputs. */
export const isTuple = (value: unknown): value is [string, unknown] =>
  Array.isArray(value) &&
  value.length === 2 &&
  typeof value[0] === 'string' &&
  roleOf(value[0]) !== 'unknown' &&
  (typeof value[1] === 'string' || Array.isArray(value[1]) || value[1] === null)

/** Whether a value looks like a message. Text does not, because any text could be one. */
export function isMessageLike(value: unknown): boolean {
  if (isTuple(value)) return true
  if (!isRecord(value)) return false
  const found = unwrap(value, '')
  return itemRole(value) !== undefined || (found.givenRole !== undefined && isMessageBody(found))
}

const empty = (raw: unknown, path: string): TraceMessage => ({
  role: 'unknown',
  givenRole: undefined,
  id: undefined,
  name: undefined,
  toolCallId: undefined,
  status: undefined,
  blocks: [],
  usage: undefined,
  path,
  raw,
  flaws: [],
})

function withRole(given: string | undefined, message: TraceMessage): TraceMessage {
  const role = roleOf(given)
  const reason = given === undefined ? 'role is missing' : `No role ${JSON.stringify(given.slice(0, 80))} is known`
  const flaws = role === 'unknown' ? [...message.flaws, { path: message.path, reason }] : message.flaws
  return { ...message, role, givenRole: given, flaws }
}

const unknownMessage = (raw: unknown, path: string): TraceMessage => ({
  ...empty(raw, path),
  blocks: [{ type: 'raw', reason: 'This is not a message', places: [{ path, raw }], flaws: [] }],
  flaws: [{ path, reason: `A message is an object with role and content, not ${kindOf(raw)}` }],
})

/** The object with the message's keys: a class's `kwargs`, the older `data`, or the object itself. */
function unwrap(raw: Json, path: string): Body {
  if (raw.lc !== undefined && isRecord(raw.kwargs)) {
    const { kwargs } = raw
    // Only the class name, because the path before it differs between languages and versions.
    const className = textOf(listOf(raw.id).at(-1))
    const own = roleOf(className) === 'unknown' || className?.startsWith('Chat') ? undefined : className
    return { body: kwargs, path: at(path, 'kwargs'), givenRole: own ?? roleKey(kwargs) ?? className }
  }
  if (isRecord(raw.data) && typeof raw.type === 'string' && raw.content === undefined)
    return { body: raw.data, path: at(path, 'data'), givenRole: raw.type }
  return { body: raw, path, givenRole: roleKey(raw) }
}
/** A message that was streamed, joined from its pieces by a library. */
const isChunk = (raw: unknown): boolean =>
  isRecord(raw) && raw.lc !== undefined && String(listOf(raw.id).at(-1)).endsWith('Chunk')

/** `type: 'message'` means nothing; `type: 'ai'` is a role. */
const roleKey = (body: Json): string | undefined =>
  textOf(body.role) ?? (roleOf(textOf(body.type)) === 'unknown' ? undefined : textOf(body.type))

const isMessageBody = ({ body, givenRole }: Body): boolean =>
  givenRole !== undefined || CONTENT_KEYS.some((key) => key in body) || 'tool_calls' in body

const itemRole = (raw: Json): TraceMessage['role'] | undefined => {
  if (typeof raw.type !== 'string' || raw.role !== undefined || raw.lc !== undefined) return undefined
  if (roleOf(raw.type) !== 'unknown' && raw.type !== 'reasoning') return undefined
  if (raw.type === 'reasoning' && 'content' in raw && !Array.isArray(raw.summary)) return undefined
  return ITEM_ROLES.find(([pattern]) => pattern.test(raw.type as string))?.[1]
}

function readItem(raw: Json, path: string, role: TraceMessage['role']): TraceMessage {
  const block = readBlock(raw, path)
  const isResult = block.type === 'tool_result'
  return {
    ...empty(raw, path),
    role,
    givenRole: textOf(raw.type),
    id: textOf(raw.id),
    toolCallId: isResult ? block.toolCallId : undefined,
    status: isResult ? block.status : undefined,
    blocks: [block],
  }
}

function readBody(raw: unknown, path: string, { body, path: bodyPath, givenRole }: Body): TraceMessage {
  const message = withRole(givenRole, empty(raw, path))
  const isPlain = !('lc' in (raw as Json)) && bodyPath === path
  const flaws: Flaw[] = [...message.flaws]
  const toolCallId = textOf(body.tool_call_id)
  // Library classes have the key in every message, so it is only a mistake in a handwritten one.
  if (isPlain && toolCallId !== undefined && message.role !== 'tool' && message.role !== 'unknown')
    flaws.push({ path: at(bodyPath, 'tool_call_id'), reason: 'Only a message of role tool has a tool_call_id' })
  const content = contentKey(body)
  const given = body[content]
  if (given !== undefined && given !== null && !['string', 'object'].includes(typeof given))
    flaws.push({
      path: at(bodyPath, content),
      reason: `content is ${kindOf(given)}, not text and not a list of blocks`,
    })
  const usage = body.usage_metadata ?? body.usage
  const { status } = body
  return {
    ...message,
    id: textOf(body.id),
    name: textOf(body.name),
    toolCallId,
    status: status === 'success' || status === 'error' ? status : undefined,
    blocks: blocksOf(body, bodyPath, isChunk(raw)),
    ...(usage !== undefined && usage !== null && { usage }),
    flaws,
  }
}
