import { isRecord } from '@/lib/json/guards'
import type { BlockBody, SourceBody } from './message'
import type { BlockReader } from './reader'
import { get, type Json, textOf } from './values'

const scoreOf = (...values: unknown[]): number | undefined =>
  values.find((one): one is number => typeof one === 'number' && Number.isFinite(one))

/** The quote that the AI SDK keeps of what a source was cited for. */
const citedBy = (block: Json): unknown => get(block.providerMetadata, 'anthropic', 'citedText')

/** Something found in any spelling: a web page, a search result, a part of a document. */
export const source: BlockReader = ({ block, content }): BlockBody => {
  const about = isRecord(block.metadata) ? block.metadata : isRecord(block.attributes) ? block.attributes : {}
  const place = textOf(block.url) ?? textOf(block.uri) ?? textOf(block.source) ?? textOf(about.url)
  const isAddress = place !== undefined && URL.canParse(place)
  const named = [block.title, block.filename, block.name, about.title, about.source, about.filename, block.file_id]
  const title = named.map(textOf).find(Boolean) ?? (isAddress ? undefined : place)
  const text = [block.text, block.pageContent, block.page_content, block.snippet, block.cited_text, citedBy(block)]
    .map(textOf)
    .find(Boolean)
  const score = scoreOf(block.score, about.score, about.relevance_score, about.similarity)
  const inner = block.content === undefined || block.content === null ? [] : content(block.content, 'content')
  const found: SourceBody = {
    type: 'source',
    ...(isAddress && { url: place }),
    ...(title !== undefined && { title }),
    ...(text !== undefined && { text }),
    ...(score !== undefined && { score }),
    ...(inner.length > 0 && { blocks: inner }),
  }
  return Object.keys(found).length > 1 ? found : { type: 'raw', reason: 'The source has no url, no title and no text' }
}

export type Citation = { url?: string; title?: string; quote?: string }

/** A citation in any provider's spelling; `text` is what it belongs to. Undefined if nothing of it can be read. */
export function readCitation(given: unknown, text: string): Citation | undefined {
  if (!isRecord(given)) return undefined
  const holder: Json = [given.url_citation, given.file_citation, given.web, given.source].find(isRecord) ?? given
  const address = textOf(holder.url) ?? textOf(holder.uri) ?? textOf(given.source)
  const url = address !== undefined && URL.canParse(address) ? address : undefined
  const named = [holder.title, holder.document_title, holder.filename, holder.file_id, url ? undefined : address]
  const title = named.map(textOf).find(Boolean)
  const quoted =
    textOf(given.cited_text) ?? textOf(given.citedText) ?? textOf(holder.quote) ?? textOf(get(given, 'segment', 'text'))
  const quote = quoted ?? partOf(text, holder)
  if (url === undefined && title === undefined && quote === undefined) return undefined
  return { ...(url && { url }), ...(title && { title }), ...(quote && { quote }) }
}

/** Some formats tell by indexes which part of the text the source supports. */
function partOf(text: string, holder: Json): string | undefined {
  const start = holder.start_index ?? holder.startIndex
  const end = holder.end_index ?? holder.endIndex
  return typeof start === 'number' && typeof end === 'number' ? textOf(text.slice(start, end)) : undefined
}

/** An item that the provider keeps. */
export const reference: BlockReader = ({ block }) => {
  const id = textOf(block.id)
  return id === undefined ? { type: 'raw', reason: 'id is missing' } : { type: 'reference', id }
}
