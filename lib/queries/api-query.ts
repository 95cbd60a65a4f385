import { type QueryClient, type QueryKey, queryOptions } from '@tanstack/react-query'
import type { AnyInput, InputOf, Operation, OutputOf } from '@/lib/contracts/wire/api'
import type { OperationPlace } from '@/lib/contracts/wire/places'
import { type RelayError, relayFetch } from './relay-fetch'

/** An operation's place and input in one object, as `apiQuery` and `call` take them. */
export type QueryInput<Op extends Operation> = OperationPlace & InputOf<Op>

/** Everything a query is: enough to ask again, in the browser over the relay or on the server by `call`. */
export type ApiQueryKey = readonly [
  api: Operation['api'],
  operation: string,
  workspace: string,
  deployment: string | null,
  input: AnyInput,
]

/** The beginning of the keys of all queries of an operation in a workspace. */
export const operationKey = (op: Operation, workspace: string) => [op.api, op.id, workspace] as const

/**
 * Query options of a read: the key is derived from the operation and its input, the function asks the relay.
 * Spread them to add polling or `select`.
 */
export function apiQuery<Op extends Operation>(op: Op, input: QueryInput<Op>) {
  if (op.effect !== 'read') throw new TypeError(`${op.id} changes something and is no query.`)
  const { workspace, deploymentId, params, query, body } = input as OperationPlace & AnyInput
  // Keys are compared as JSON, which leaves undefined out: an absent part and an undefined one are the same query.
  const queryKey: ApiQueryKey = [op.api, op.id, workspace, deploymentId ?? null, { params, query, body }]
  return queryOptions<OutputOf<Op>, RelayError, OutputOf<Op>, ApiQueryKey>({
    queryKey,
    // The relay has parsed the answer with the row's schema; only its type is lost on the way.
    queryFn: ({ signal }) =>
      relayFetch(op, { workspace, deploymentId, params, query, body }, signal) as Promise<OutputOf<Op>>,
  })
}

/** Marks all of an operation's queries in a workspace as stale; those on screen are fetched again. */
export const invalidate = (client: QueryClient, op: Operation, workspace: string): Promise<void> =>
  client.invalidateQueries({ queryKey: operationKey(op, workspace) as QueryKey })
