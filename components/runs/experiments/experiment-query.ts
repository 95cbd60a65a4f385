import { queryOptions } from '@tanstack/react-query'
import { consoleFetch, type RelayError } from '@/lib/queries/relay-fetch'
import type { Experiment } from '@/lib/stream/experiments'

const EVERY_MS = 1_000

/** An experiment, read again while its runs go on. */
export const experimentQuery = (workspace: string, id: string) =>
  queryOptions<Experiment, RelayError>({
    queryKey: ['experiments', workspace, id],
    queryFn: async ({ signal }) => {
      const place = [workspace, id].map(encodeURIComponent).join('/')
      // From our own server; `consoleFetch` is untyped.
      return (await consoleFetch(`/api/experiments/${place}`, { signal })) as Experiment
    },
    refetchInterval: ({ state: { data } }) =>
      data && (data.isRunning || data.pairs.some(({ state }) => state === 'running')) ? EVERY_MS : false,
  })
