import { readJsonFilter } from '@/components/shared/json/json-filter'
import type { ListDefinition } from '@/components/shared/list/list-definition'
import { parseJson } from '@/lib/json/lossless'

export const PAGE = 25

/** Parts of a namespace hold no periods, so a period joins them in a URL and in a field. */
export const namespaceOf = (text: string): string[] => text.split('.').filter(Boolean)
export const namespaceText = (namespace: readonly string[]): string => namespace.join('.')

/** `isMeaning`: the search is by meaning, not by values. */
export const itemList = (isMeaning: boolean): ListDefinition => ({
  noun: 'items',
  search: { name: 'q', label: isMeaning ? 'Search by meaning' : 'Filter values by key:value' },
  noFilter: { q: '' },
})

type Search = Pick<URLSearchParams, 'get'>

/** The page's URL: which namespace, the search in it, and the item that is open. */
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
