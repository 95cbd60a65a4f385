import { isRecord } from '@/lib/json/guards'
import { joinNeighbours } from './blocks/join-neighbours'
import { wrongKinds, wrongMessageKinds } from './blocks/kinds'
import type { Block, Flaw } from './blocks/message'
import { readBlock, readContent } from './blocks/read-block'
import { calledFunction } from './blocks/tools'
import { at, get, type Json, kindOf, listOf, textOf } from './blocks/values'

/** Where a message has its content; the first that is not empty counts. */
export const CONTENT_KEYS = ['content', 'content_blocks', 'contentBlocks', 'parts'] as const
type ContentKey = (typeof CONTENT_KEYS)[number]

const isEmpty = (value: unknown): boolean =>
  value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0)

export const contentKey = (body: Json): ContentKey => CONTENT_KEYS.find((key) => !isEmpty(body[key])) ?? 'content'

/** The blocks of a message in the order in which they were logged. `path` is that of the body. */
export function blocksOf(body: Json, path: string, isStreamed: boolean): Block[] {
  const key = contentKey(body)
  const { content, others } = withItems(readContent(body[key], at(path, key)), body, path)
  const blocks = [...aside(body, path, content), ...others, ...annotated(content, body.annotations)]
  const all = joinNeighbours(addCalls(addRefusal(blocks, body, path), body, path), isStreamed)
  return [...all, ...wrongMessageKinds(body, path).map(unread)]
}

/** What is logged next to the content in a kind that no format has. */
const unread = ({ path, reason, raw }: Flaw & { raw: unknown }): Block => ({
  ...{ type: 'raw', reason, places: [{ path, raw }], flaws: [{ path, reason }] },
})

/**
 * A library may log the provider's items next to blocks that say less of them. A block with an item's id becomes the
 * item, with the places of both and of its result; items without a block are `others`.
 */
function withItems(blocks: Block[], body: Json, path: string): { content: Block[]; others: Block[] } {
  const content = [...blocks]
  const others: Block[] = []
  const inPath = at(at(path, 'additional_kwargs'), 'tool_outputs')
  listOf(get(body.additional_kwargs, 'tool_outputs')).forEach((raw, index) => {
    const item = readBlock(raw, at(inPath, index))
    const id = textOf(get(raw, 'id'))
    const same = content.findIndex((block) => id !== undefined && get(block.places[0].raw, 'id') === id)
    const block = content[same]
    if (!block) {
      others.push(item)
      return
    }
    const isOwn = (one: Block) => one.type === 'server_tool_result' && one.toolCallId === id && 'result' in item
    const results = content.filter(isOwn)
    content[same] = { ...item, places: [...block.places, ...results.flatMap(({ places }) => places), ...item.places] }
    for (const result of results) content.splice(content.indexOf(result), 1)
  })
  return { content, others }
}

/** What libraries put next to the content: reasoning and audio. */
function aside(body: Json, path: string, content: readonly Block[]): Block[] {
  const found: Block[] = []
  const has = (type: Block['type']) => content.some((block) => block.type === type)
  const keywords = body.additional_kwargs
  const inKeywords = at(path, 'additional_kwargs')
  for (const [holder, inPath] of [
    [body, path],
    [keywords, inKeywords],
  ] as const)
    for (const key of ['reasoning_content', 'reasoning']) {
      const value = get(holder, key)
      const place = at(inPath, key)
      if (textOf(value))
        found.push({ type: 'reasoning', text: value as string, places: [{ path: place, raw: value }], flaws: [] }) // textOf found text
      else if (isRecord(value) && Object.keys(value).length > 0 && !has('reasoning'))
        found.push(named(readBlock({ type: 'reasoning', ...value }, place), value))
    }
  for (const [audio, place] of [
    [body.audio, at(path, 'audio')],
    [get(keywords, 'audio'), at(inKeywords, 'audio')],
  ] as const)
    if (isRecord(audio) && !has('audio')) found.push(named(readBlock({ type: 'audio', ...audio }, place), audio))
  return found
}

/** With the value as it was logged, without the type that it was read as. */
const named = (block: Block, raw: unknown): Block => ({ ...block, places: [{ path: block.places[0].path, raw }] })

function addRefusal(blocks: Block[], body: Json, path: string): Block[] {
  for (const [refusal, place] of [
    [body.refusal, at(path, 'refusal')],
    [get(body.additional_kwargs, 'refusal'), at(at(path, 'additional_kwargs'), 'refusal')],
  ] as const) {
    const isKnown = blocks.some((block) => block.type === 'refusal' && block.text === refusal)
    if (textOf(refusal) && !isKnown) return [...blocks, named(readBlock({ type: 'refusal', refusal }, place), refusal)]
  }
  return blocks
}

/** Chat completions list a text's sources next to it. */
function annotated(blocks: Block[], annotations: unknown): Block[] {
  const at = blocks.findIndex((block) => block.type === 'text')
  const first = blocks[at]
  if (listOf(annotations).length === 0 || first?.type !== 'text') return blocks
  return blocks.with(at, { ...first, annotations: listOf(annotations) })
}

/**
 * Tool calls next to the content. Some libraries log a call two or three times: as a block, a call and the provider's
 * form. Those with one id, or without one but with the same name and arguments, become one block with all places.
 */
function addCalls(blocks: readonly Block[], body: Json, path: string): Block[] {
  const all = [...blocks]
  const taken = new Set<number>()
  const extra = at(path, 'additional_kwargs')
  const hasCalls = listOf(body.tool_calls).length > 0
  for (const [list, inPath] of [
    [body.tool_calls, at(path, 'tool_calls')],
    [body.invalid_tool_calls, at(path, 'invalid_tool_calls')],
    // Chunks of a call that is already complete.
    [hasCalls ? undefined : body.tool_call_chunks, at(path, 'tool_call_chunks')],
    [get(body.additional_kwargs, 'tool_calls'), at(extra, 'tool_calls')],
  ] as const) {
    taken.clear()
    listOf(list).forEach((raw, index) => {
      const call = readCall(raw, at(inPath, index))
      const known = all.findIndex((block, place) => !taken.has(place) && isSameCall(block, call))
      const same = all[known]
      if (!same) all.push(call)
      // A call without arguments is the same one before it was complete.
      else
        all[known] = {
          ...same,
          ...withId(same, call),
          places: [...same.places, ...call.places],
          flaws: [...same.flaws, ...call.flaws],
        }
      taken.add(known === -1 ? all.length - 1 : known)
    })
  }
  if (isRecord(body.function_call)) {
    const place = at(path, 'function_call')
    all.push(named(readBlock({ function: body.function_call }, place), body.function_call))
  }
  return all
}

const withId = (same: Block, call: Block) => {
  const id = 'id' in same && same.id === undefined && 'id' in call ? call.id : undefined
  return id === undefined ? {} : { id }
}

function isSameCall(block: Block, call: Block): boolean {
  if (block.type !== 'tool_call' && block.type !== 'server_tool_call') return false
  if (call.type !== 'tool_call' && call.type !== 'server_tool_call') return false
  if (block.id !== undefined && call.id !== undefined) return block.id === call.id
  return block.name === call.name && JSON.stringify(block.args) === JSON.stringify(call.args)
}

/** An item of `tool_calls`: with a function inside (chat completions), or plain (the runtime). */
function readCall(raw: unknown, path: string): Block {
  if (!isRecord(raw)) {
    const reason = `A tool call is an object, not ${kindOf(raw)}`
    return unread({ path, reason, raw })
  }
  const flaws: Flaw[] = []
  const note = (key: string, reason: string) => flaws.push({ path: at(path, key), reason })
  if (isRecord(raw.function)) {
    const body = calledFunction({ block: raw, note })
    flaws.push(...wrongKinds(raw, path))
    return { ...body, places: [{ path, raw }], flaws }
  }
  const read = named(readBlock({ ...raw, type: 'tool_call' }, path), raw)
  const error = textOf(raw.error)
  return error ? { ...read, flaws: [...read.flaws, { path: at(path, 'error'), reason: error }] } : read
}
