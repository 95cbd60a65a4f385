import type { z } from 'zod'
import type { agentServer } from '@/lib/contracts/agent-server'
import type { agentServerSchemas } from '@/lib/contracts/agent-server.schemas'
import type { InputOf } from '@/lib/contracts/wire/api'
import type { Caller } from '../auth/caller'
import type { Conditions } from '../kernel/conditions'
import type { Reply } from './http'

export type OperationId = keyof typeof agentServer & keyof typeof agentServerSchemas

/** The parsed type of a row's query or body, as the handler receives it. */
type Parsed<Id extends OperationId, Half extends 'query' | 'body'> = (typeof agentServerSchemas)[Id] extends {
  [H in Half]: infer S extends z.ZodType
}
  ? z.output<S>
  : undefined

type Params<Id extends OperationId> =
  InputOf<(typeof agentServer)[Id]> extends { params: infer P } ? P : Record<string, never>

export type Input<Id extends OperationId> = {
  params: Params<Id>
  query: Parsed<Id, 'query'>
  body: Parsed<Id, 'body'>
  headers: Headers
  /** Who sent the request, where the deployment authenticates its callers. */
  caller: Caller | undefined
  /** What the records of this operation have to contain for the caller to reach them. */
  only: Conditions
  /** Aborted when the caller disconnects before the response is complete. */
  signal: AbortSignal
}

/** JSON-RPC operations, which read the request themselves. */
export const RPC_IDS = ['sendA2a', 'sendMcp'] as const satisfies OperationId[]
export type RpcId = (typeof RPC_IDS)[number]

/** A function for each row of the table; a missing one is a type error. */
export type Handlers = { [Id in Exclude<OperationId, RpcId>]: (input: Input<Id>) => Promise<Reply> }
export type RpcHandlers = {
  [Id in RpcId]: (request: Request, params: Params<Id>, caller?: Caller) => Promise<Response>
}
