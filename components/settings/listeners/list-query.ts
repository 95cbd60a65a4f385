import type { ListDefinition } from '@/components/shared/list/list-definition'
import { LISTENER_STATES } from '@/lib/contracts/deployments/listener-row'
import type { ListenerRowsQuery } from '@/lib/queries/listeners'

export const PAGE = 50

export const listenerList: ListDefinition = {
  noun: 'listeners',
  search: { name: 'q', label: 'Search listeners' },
  noFilter: { q: '', state: '' },
}

type Search = Pick<URLSearchParams, 'get'>

/** The query for a page's URL. Invalid values are dropped. */
export function listenerQueryOf(search: Search): ListenerRowsQuery {
  const q = search.get('q')?.trim().slice(0, 200)
  const state = LISTENER_STATES.find((one) => one === search.get('state'))
  const offset = Number(search.get('offset') ?? 0)
  return {
    ...(q && { q }),
    ...(state && { state }),
    limit: PAGE,
    offset: Number.isSafeInteger(offset) && offset > 0 ? offset : 0,
  }
}
