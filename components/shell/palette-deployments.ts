import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { useFavourites } from '@/components/shared/layout/favourites'
import { deploymentsQuery } from '@/lib/queries/deployments'

const MOST_LISTED = 8

/** Deployments by name, favourites first, and how the server was asked for them. */
export function useListed(workspace: string, name: string, favourites: ReturnType<typeof useFavourites>) {
  const found = useQuery({
    ...deploymentsQuery(workspace, { limit: MOST_LISTED, ...(name && { name_contains: name }) }),
    placeholderData: keepPreviousData,
  })
  const marked = useMarked(workspace, favourites.ids, name)
  // Rows of the search before stay while the next is read, and may have other names: Enter must not act on those.
  const isNamed = (one: { name: string }) =>
    !found.isPlaceholderData || one.name.toLowerCase().includes(name.toLowerCase())
  const others = found.data?.resources.filter((one) => isNamed(one) && !marked.some(({ id }) => id === one.id)) ?? []
  // Favourites first; `sort` keeps the order of the others.
  const listed = [...marked, ...others].sort(
    (left, right) => Number(favourites.has(right.id)) - Number(favourites.has(left.id)),
  )
  return { found, listed }
}

/** The favourites to list before anything is typed. */
function useMarked(workspace: string, ids: readonly string[], search: string) {
  const first = ids.slice(0, MOST_LISTED).join(',')
  const isListed = first !== '' && search === ''
  const { data } = useQuery({
    ...deploymentsQuery(workspace, { deployment_ids: first, limit: MOST_LISTED }),
    enabled: isListed,
  })
  return isListed ? (data?.resources ?? []) : []
}
