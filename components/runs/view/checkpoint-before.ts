import type { QueryClient } from '@tanstack/react-query'
import type { ThreadPlace } from '@/lib/contracts/wire/places'
import { lightHistoryQuery } from '@/lib/queries/threads'

const HISTORY_PAGE = 50
const MOST_PAGES = 8

/** The checkpoint at which a task was about to run; undefined if it is too far back or gone. */
export async function checkpointBefore(
  client: QueryClient,
  { workspace, deploymentId, thread }: ThreadPlace,
  task: string,
): Promise<string | undefined> {
  let before: string | undefined
  for (let page = 0; page < MOST_PAGES; page++) {
    const query = { limit: HISTORY_PAGE, ...(before && { before }) }
    const { rows, last } = await client.fetchQuery(lightHistoryQuery(workspace, deploymentId, thread, query))
    const found = rows.find(({ tasks }) => tasks.some(({ id }) => id === task))
    if (found) return found.id
    if (!last) return undefined
    before = last
  }
  return undefined
}
