import { type BlockReader, missing } from './reader'
import { get, listOf, textOf } from './values'

/** Where SDKs put what a text cites. */
const ANNOTATIONS = [
  ['annotations'],
  ['citations'],
  ['providerMetadata', 'anthropic', 'citations'],
  ['providerMetadata', 'openai', 'annotations'],
] as const

export const text: BlockReader = (read) => {
  const { block } = read
  if (block.thought === true) return reasoning(read)
  const value = block.text ?? get(block.text, 'value')
  const annotations = ANNOTATIONS.map((keys) => listOf(get(block, ...keys))).find((list) => list.length > 0) ?? []
  // A stream may log a text's citations as a block of their own.
  const written = value === undefined && annotations.length > 0 ? '' : value
  if (typeof written !== 'string') return missing('text', written)
  return { type: 'text', text: written, ...(annotations.length > 0 && { annotations }) }
}

export const reasoning: BlockReader = ({ block, note }) => {
  const own = [block.text, block.reasoning, block.thinking].find((one) => typeof one === 'string')
  if (typeof own === 'string' && own !== '') return { type: 'reasoning', text: own }
  const parts = [...listOf(block.summary), ...listOf(block.content)]
  if (parts.some((part) => get(part, 'text') === undefined || get(part, 'text') === null))
    note(listOf(block.summary).length > 0 ? 'summary' : 'content', 'A part has no text')
  const joined = parts.map((part) => textOf(get(part, 'text')) ?? '').join('\n\n')
  if (joined.trim() !== '') return { type: 'reasoning', text: joined }
  const isHidden = !!(block.encrypted_content || block.signature || block.data) || Array.isArray(block.summary)
  if (isHidden) return { type: 'reasoning', text: '', isHidden: true }
  return typeof own === 'string' ? { type: 'reasoning', text: own } : missing('text', block.text)
}

export const refusal: BlockReader = ({ block }) =>
  typeof block.refusal === 'string' ? { type: 'refusal', text: block.refusal } : missing('refusal', block.refusal)
