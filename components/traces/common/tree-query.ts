import { queryOptions } from '@tanstack/react-query'
import { buildQuery } from '@/lib/contracts/wire/api'
import { consoleFetch, type RelayError } from '@/lib/queries/relay-fetch'
import type { LightRun } from '@/lib/traces/light-run'

export type TreePage = { runs: LightRun[]; next: string | null }

const treePath = (workspace: string, trace: string, query: unknown) =>
  `/api/traces/${encodeURIComponent(workspace)}/${encodeURIComponent(trace)}?${buildQuery(query)}`

/** Fetches a page of a trace's runs, without inputs and outputs, from our own server. */
export const fetchTreePage = async (
  workspace: string,
  trace: string,
  query: { cursor?: string; limit: number },
  signal: AbortSignal,
): Promise<TreePage> => (await consoleFetch(treePath(workspace, trace, query), { signal })) as TreePage

/** The first page of a trace, shown before the rest has loaded. */
export const treeStartQuery = (workspace: string, trace: string) =>
  queryOptions<TreePage, RelayError>({
    queryKey: ['trace-tree', workspace, trace],
    queryFn: ({ signal }) => fetchTreePage(workspace, trace, { limit: TREE_START }, signal),
  })

/** Small, so that the first page loads fast. */
export const TREE_START = 200
