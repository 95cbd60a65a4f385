import { isRecord } from '@/lib/json/guards'
import type { Block, BlockBody, ToolCallBody } from './message'
import { get } from './values'

/**
 * Joins blocks that are one: pieces of a stream, a signature after its reasoning, the same reasoning logged twice, and
 * the result of a call where neither has an id. Joined blocks have the places of all.
 */
export function joinNeighbours(blocks: readonly Block[], isStreamed = false): Block[] {
  const joined: Block[] = []
  for (const block of blocks) {
    const before = joined.at(-1)
    const body = before && joinedBody(before, block, isStreamed)
    if (!body) joined.push(block)
    else {
      const places: Block['places'] = [...before.places, ...block.places]
      const flaws = [...before.flaws, ...block.flaws]
      const extras = before.extras ?? block.extras
      joined[joined.length - 1] = { ...body, places, flaws, ...(extras !== undefined && { extras }) }
    }
  }
  return joined
}

function joinedBody(before: Block, block: Block, isStreamed: boolean): BlockBody | undefined {
  if (before.type === 'reasoning' && block.type === 'reasoning') {
    const text = before.text + block.text
    const isHidden = text === '' && (before.isHidden || block.isHidden)
    if (isPiece(before, block)) return { type: 'reasoning', text, ...(isHidden && { isHidden }) }
    const isRepeated = before.text !== '' && before.text === block.text && !areApart(before, block)
    if (isRepeated) return { type: 'reasoning', text: before.text }
    // The signature of a streamed reasoning comes last.
    const isSignature = block.isHidden && keyOf(block, 'signature') !== undefined && !before.isHidden
    return isSignature ? { type: 'reasoning', text } : undefined
  }
  if (before.type === 'text' && block.type === 'text') {
    const annotations = [...(before.annotations ?? []), ...(block.annotations ?? [])]
    // Without numbers, a piece of a stream belongs to the text before it, and citations to the text after them.
    const arePieces = isStreamed && [before, block].every(({ places: [{ raw }] }) => isRecord(raw))
    const isNext = arePieces && !block.annotations && !areNumbered(before, block)
    const isCited = before.text === '' && before.annotations !== undefined && block.annotations === undefined
    const isOne = isPiece(before, block) || isNext || isCited
    const text = before.text + block.text
    return isOne ? { type: 'text', text, ...(annotations.length > 0 && { annotations }) } : undefined
  }
  if (isCall(before) && block.type === 'tool_call' && block.name === undefined && isPiece(before, block)) {
    const { type, id, name } = before
    return { type, id, name, args: isNothing(before.args) ? block.args : [before.args, block.args] }
  }
  if (before.type === 'server_tool_call' && block.type === 'server_tool_result') {
    if (before.id !== undefined || before.result || block.toolCallId !== undefined) return undefined
    const { id, name, args } = before
    const { status, output, blocks } = block
    return { type: 'server_tool_call', id, name, args, result: { status, output, ...(blocks && { blocks }) } }
  }
  return undefined
}

const keyOf = (block: Block, key: string): unknown => get(block.places[0].raw, key)

/** Streams number the blocks that their pieces belong to. */
const isPiece = (before: Block, block: Block): boolean =>
  keyOf(before, 'index') !== undefined && keyOf(before, 'index') === keyOf(block, 'index')

const areNumbered = (before: Block, block: Block): boolean =>
  keyOf(before, 'index') !== undefined && keyOf(block, 'index') !== undefined

const isCall = (block: Block): block is Block & ToolCallBody =>
  block.type === 'tool_call' || block.type === 'server_tool_call'
const isNothing = (args: unknown): boolean =>
  args === undefined || args === '' || (isRecord(args) && Object.keys(args).length === 0)

/** Two items with ids of their own are two, though they say the same. */
function areApart(before: Block, block: Block): boolean {
  const [one, other] = [keyOf(before, 'id'), keyOf(block, 'id')]
  return one !== undefined && other !== undefined && one !== other
}
