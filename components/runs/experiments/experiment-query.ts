import { queryOptions } from '@tanstack/react-query'
import { consoleFetch, type RelayError } from '@/lib/queries/relay-fetch'
import type { Experiment } from '@/lib/stream/experiments'

const EVERY_MS = 1_000
/** How often an answer that was given elsewhere is looked for. */
const ASKED_MS = 10_000

/** An experiment, read again while its runs go on or can be answered. */
export const experimentQuery = (workspace: string, id: string) =>
  queryOptions<Experiment, RelayError>({
    queryKey: ['experiments', workspace, id],
    queryFn: async ({ signal }) => {
      const place = [workspace, id].map(encodeURIComponent).join('/')
      // From our own server; `consoleFetch` is untyped.
      return (await consoleFetch(`/api/experiments/${place}`, { signal })) as Experiment
    },
    refetchInterval: ({ state: { data } }) => {
      if (data?.isRunning || data?.pairs.some(({ state }) => state === 'running')) return EVERY_MS
      return data?.pairs.some(({ result }) => result?.outcome === 'waiting') ? ASKED_MS : false
    },
  })
