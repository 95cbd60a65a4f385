import { type QueryClient, type QueryKey, queryOptions } from '@tanstack/react-query'
import type { AnyInput, InputOf, Operation, OutputOf } from '@/lib/contracts/wire/api'
import type { OperationPlace } from '@/lib/contracts/wire/places'
import { type RelayError, relayFetch } from './relay-fetch'

/** How often figures and a visible list of logged runs are read again. */
export const LIVE_MS = 10_000

/** An operation's place and input in one object, for `apiQuery` and `call`. */
export type QueryInput<Op extends Operation> = OperationPlace & InputOf<Op>

/** Everything needed to repeat a query, in the browser through the relay or on the server with `call`. */
export type ApiQueryKey = readonly [
  api: Operation['api'],
  operation: string,
  workspace: string,
  deployment: string | null,
  input: AnyInput,
]

/** The prefix of the keys of all queries of an operation in a workspace. */
export const operationKey = (op: Operation, workspace: string) => [op.api, op.id, workspace] as const

/** Query options of a read through the relay. Spread them to add polling or `select`. */
export function apiQuery<Op extends Operation>(op: Op, input: QueryInput<Op>) {
  if (op.effect !== 'read') throw new TypeError(`${op.id} is a write, not a query.`)
  const { workspace, deploymentId, params, query, body } = input as OperationPlace & AnyInput
  // Keys are compared as JSON, which leaves out undefined, so absent and undefined parts are equal.
  const queryKey: ApiQueryKey = [op.api, op.id, workspace, deploymentId ?? null, { params, query, body }]
  return queryOptions<OutputOf<Op>, RelayError, OutputOf<Op>, ApiQueryKey>({
    queryKey,
    // The relay has parsed the response with the operation's schema; only the type is lost.
    queryFn: ({ signal }) =>
      relayFetch(op, { workspace, deploymentId, params, query, body }, signal) as Promise<OutputOf<Op>>,
  })
}

/** Marks all queries of an operation in a workspace as stale; visible ones are fetched again. */
export const invalidate = (client: QueryClient, op: Operation, workspace: string): Promise<void> =>
  client.invalidateQueries({ queryKey: operationKey(op, workspace) as QueryKey })
