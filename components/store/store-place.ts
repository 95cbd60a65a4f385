import { readJsonFilter } from '@/components/shared/json/json-filter'
import type { ListDefinition } from '@/components/shared/list/list-definition'
import type { Item } from '@/lib/contracts/agents/store'
import { parseJson } from '@/lib/json/lossless'

export const PAGE = 25

/** Namespace parts cannot contain periods, so a period joins them in URLs and fields. */
export const namespaceOf = (text: string): string[] => text.split('.').filter(Boolean)
export const namespaceText = (namespace: readonly string[]): string => namespace.join('.')

/** `isMeaning`: semantic search instead of a filter on values. */
export const itemList = (isMeaning: boolean): ListDefinition => ({
  noun: 'items',
  search: { name: 'q', label: isMeaning ? 'Search by meaning' : 'Filter values by key:value' },
  noFilter: { q: '' },
})

/** A search by meaning whose items the server did not rank: it has no index, and returns all of them. */
export const isUnranked = (query: string | undefined, items: readonly Pick<Item, 'score'>[]): boolean =>
  query !== undefined && items.length > 0 && items.every(({ score }) => typeof score !== 'number')

type Search = Pick<URLSearchParams, 'get'>

/** The namespace, search and open item in the page's URL. */
export function storePlaceOf(search: Search) {
  const namespace = namespaceOf(search.get('ns') ?? '')
  const text = search.get('q')?.trim() ?? ''
  const isMeaning = search.get('by') === 'meaning'
  const read = isMeaning ? undefined : readJsonFilter(text, parseJson)
  const problem = read && 'problem' in read ? read.problem : undefined
  const offset = Number(search.get('offset') ?? 0)
  const key = search.get('key')
  return {
    namespace,
    isMeaning,
    problem,
    isFiltered: text !== '',
    open: key ? { namespace: namespaceOf(search.get('in') ?? search.get('ns') ?? ''), key } : undefined,
    body: {
      namespace_prefix: namespace,
      ...(read && 'value' in read && { filter: read.value }),
      ...(isMeaning && text !== '' && { query: text }),
      limit: PAGE,
      offset: Number.isSafeInteger(offset) && offset > 0 ? offset : 0,
    },
  }
}
