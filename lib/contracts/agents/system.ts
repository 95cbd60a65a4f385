import { z } from 'zod'
import { JsonObject, objectOrEmpty, queryBool } from '../wire/fields'

export const Ok = z.object({ ok: z.boolean() })
export type Ok = z.output<typeof Ok>
/** Sent as `1` or `0`: the Python server reads a number, and ours any boolean. */
export const OkQuery = z.strictObject({ check_db: queryBool().transform(Number).optional() })

/** A server's features. A false flag hides its group; an absent one means nothing. */
export const Info = z.object({
  name: z.string().nullish(),
  version: z.string().nullish(),
  graph_py_version: z.string().nullish(),
  graph_js_version: z.string().nullish(),
  context: z.string().nullish(),
  flags: objectOrEmpty,
  metadata: objectOrEmpty,
})
export type Info = z.output<typeof Info>

export const MetricsQuery = z.strictObject({ format: z.enum(['prometheus', 'json']).optional() })

const RpcId = z.union([z.string(), z.number(), z.null()])

/** A JSON-RPC 2.0 request, or a notification when it has no id. */
export const RpcRequest = z.strictObject({
  jsonrpc: z.literal('2.0'),
  id: RpcId.optional(),
  method: z.string().min(1),
  params: z.union([JsonObject, z.array(z.unknown())]).nullish(),
})
export type RpcRequest = z.output<typeof RpcRequest>

/** `result` and `error` exclude each other; some servers send the other one as null. */
export const RpcResponse = z.object({
  jsonrpc: z.string().nullish(),
  id: RpcId.optional(),
  result: z.unknown().optional(),
  error: z.object({ code: z.number(), message: z.string(), data: z.unknown().optional() }).nullish(),
})
export type RpcResponse = z.output<typeof RpcResponse>

export const AgentCardQuery = z.strictObject({ assistant_id: z.string().min(1) })
/** An agent's description for other agents. Newer fields of the protocol are kept. */
export const AgentCard = z.looseObject({
  name: z.string(),
  description: z.string().nullish(),
  url: z.string().nullish(),
  version: z.string().nullish(),
  protocolVersion: z.string().nullish(),
  capabilities: JsonObject.nullish(),
  defaultInputModes: z.array(z.string()).nullish(),
  defaultOutputModes: z.array(z.string()).nullish(),
  skills: z.array(JsonObject).nullish(),
})
export type AgentCard = z.output<typeof AgentCard>
