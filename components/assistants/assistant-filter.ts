export const PAGE_SIZE = 50

/** The search that the page's URL says. */
export function assistantSearchOf(search: Pick<URLSearchParams, 'get'>) {
  const name = search.get('name')?.trim()
  const graph = search.get('graph')?.trim()
  const offset = Number(search.get('offset') ?? 0)
  return {
    ...(name && { name }),
    ...(graph && { graph_id: graph }),
    limit: PAGE_SIZE,
    offset: Number.isSafeInteger(offset) && offset > 0 ? offset : 0,
    sort_by: 'updated_at' as const,
    sort_order: 'desc' as const,
  }
}
