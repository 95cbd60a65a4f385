import { queryOptions } from '@tanstack/react-query'
import { buildQuery } from '@/lib/contracts/wire/api'
import { consoleFetch, type RelayError } from '@/lib/queries/relay-fetch'
import type { LightRun } from '@/lib/traces/light-run'

export type TreePage = { runs: LightRun[]; next: string | null }

const treePath = (workspace: string, trace: string, query: unknown) =>
  `/api/traces/${encodeURIComponent(workspace)}/${encodeURIComponent(trace)}?${buildQuery(query)}`

/** A page of a trace's runs without what was said in them, made by the console's server. */
export const fetchTreePage = async (
  workspace: string,
  trace: string,
  query: { cursor?: string; limit: number },
  signal: AbortSignal,
): Promise<TreePage> => (await consoleFetch(treePath(workspace, trace, query), { signal })) as TreePage

/** The first page of a trace, for pages that show it before the rest has come. */
export const treeStartQuery = (workspace: string, trace: string) =>
  queryOptions<TreePage, RelayError>({
    queryKey: ['trace-tree', workspace, trace],
    queryFn: ({ signal }) => fetchTreePage(workspace, trace, { limit: TREE_START }, signal),
  })

/** Few, so that they are there at once. */
export const TREE_START = 200
