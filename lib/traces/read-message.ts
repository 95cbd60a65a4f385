import { isRecord } from '@/lib/json/guards'
import { calledFunction, readBlock, readContent } from './blocks'
import type { Block, Flaw, TraceMessage } from './message'
import { at, get, type Json, kindOf, listOf, textOf } from './values'

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
  [/_output$|^tool[-_]result$/, 'tool'],
  [/_call$|^tool[-_]call$|^reasoning$/, 'assistant'],
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
/** `type: 'message'` means nothing; `type: 'ai'` is a role. */
const roleKey = (body: Json): string | undefined =>
  textOf(body.role) ?? (roleOf(textOf(body.type)) === 'unknown' ? undefined : textOf(body.type))

const isMessageBody = ({ body, givenRole }: Body): boolean =>
  givenRole !== undefined || 'content' in body || 'tool_calls' in body || 'parts' in body

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
  const content = 'content' in body ? 'content' : 'parts' in body ? 'parts' : 'content'
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
    blocks: blocksOf(body, bodyPath, content),
    ...(usage !== undefined && usage !== null && { usage }),
    flaws,
  }
}

function blocksOf(body: Json, path: string, content: 'content' | 'parts'): Block[] {
  const blocks = [
    ...aside(body, path),
    ...annotated(readContent(body[content], at(path, content)), body.annotations),
    ...(typeof body.refusal === 'string' && body.refusal !== ''
      ? [readBlock({ type: 'refusal', refusal: body.refusal }, at(path, 'refusal'))]
      : []),
  ]
  return addCalls(blocks, body, path)
}

/** Reasoning and audio that are next to the content, not in it. */
function aside(body: Json, path: string): Block[] {
  const found: Block[] = []
  for (const [holder, inPath] of [
    [body, path],
    [body.additional_kwargs, at(path, 'additional_kwargs')],
  ] as const)
    for (const key of ['reasoning_content', 'reasoning']) {
      const value = get(holder, key)
      const place = at(inPath, key)
      if (textOf(value))
        found.push({ type: 'reasoning', text: value as string, places: [{ path: place, raw: value }], flaws: [] }) // textOf found text
    }
  if (isRecord(body.audio)) {
    const read = readBlock({ type: 'audio', ...body.audio }, at(path, 'audio'))
    found.push({ ...read, places: [{ path: at(path, 'audio'), raw: body.audio }] })
  }
  return found
}

/** Chat completions list a text's sources next to it. */
function annotated(blocks: Block[], annotations: unknown): Block[] {
  const [first] = blocks
  if (listOf(annotations).length === 0 || first?.type !== 'text') return blocks
  return [{ ...first, annotations: listOf(annotations) }, ...blocks.slice(1)]
}

/**
 * Tool calls next to the content. Some libraries log a call two or three times: as a block, a call and the provider's
 * form. Those with one id become one block with all places.
 */
function addCalls(blocks: readonly Block[], body: Json, path: string): Block[] {
  const all = [...blocks]
  const byId = new Map<string, number>()
  all.forEach((block, index) => {
    if (block.type === 'tool_call' && block.id !== undefined) byId.set(block.id, index)
  })
  const extra = at(path, 'additional_kwargs')
  const hasCalls = listOf(body.tool_calls).length > 0
  for (const [list, inPath] of [
    [body.tool_calls, at(path, 'tool_calls')],
    [body.invalid_tool_calls, at(path, 'invalid_tool_calls')],
    // Chunks of a call that is already complete.
    [hasCalls ? undefined : body.tool_call_chunks, at(path, 'tool_call_chunks')],
    [get(body.additional_kwargs, 'tool_calls'), at(extra, 'tool_calls')],
  ] as const) {
    listOf(list).forEach((raw, index) => {
      const call = readCall(raw, at(inPath, index))
      const known = call.type === 'tool_call' && call.id !== undefined ? byId.get(call.id) : undefined
      const same = known === undefined ? undefined : all[known]
      if (known !== undefined && same) all[known] = { ...same, places: [...same.places, ...call.places] }
      else {
        all.push(call)
        if (call.type === 'tool_call' && call.id !== undefined) byId.set(call.id, all.length - 1)
      }
    })
  }
  if (isRecord(body.function_call)) {
    const place = at(path, 'function_call')
    const call = readBlock({ function: body.function_call }, place)
    all.push({ ...call, places: [{ path: place, raw: body.function_call }] })
  }
  return all
}

/** An item of `tool_calls`: with a function inside (chat completions), or plain (the runtime). */
function readCall(raw: unknown, path: string): Block {
  if (!isRecord(raw)) return readBlock(raw, path)
  const flaws: Flaw[] = []
  const note = (key: string, reason: string) => flaws.push({ path: at(path, key), reason })
  if (isRecord(raw.function)) {
    const body = calledFunction({ block: raw, path, depth: 0, note })
    return { ...body, places: [{ path, raw }], flaws }
  }
  const read = readBlock({ ...raw, type: 'tool_call' }, path)
  const error = textOf(raw.error)
  return {
    ...read,
    places: [{ path, raw }],
    flaws: error ? [...read.flaws, { path: at(path, 'error'), reason: error }] : read.flaws,
  }
}
