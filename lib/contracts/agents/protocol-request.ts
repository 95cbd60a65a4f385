import { z } from 'zod'
import { JsonObject } from '../wire/fields'
import { A2A_VERBS, A2A_VERSIONS } from './a2a'

const text = z.string().min(1).max(2_000)

/** A request that our pages may send to an agent server over one of its protocols. */
export const ProtocolAsk = z.union([
  z.strictObject({ protocol: z.literal('mcp'), ask: z.enum(['tools', 'prompts', 'resources', 'templates']) }),
  z.strictObject({ protocol: z.literal('mcp'), ask: z.literal('call'), name: text, arguments: JsonObject }),
  z.strictObject({
    protocol: z.literal('mcp'),
    ask: z.literal('prompt'),
    name: text,
    arguments: z.record(text, z.string().max(100_000)),
  }),
  z.strictObject({ protocol: z.literal('mcp'), ask: z.literal('resource'), uri: text }),
  z.strictObject({
    protocol: z.literal('a2a'),
    assistant: text,
    version: z.enum(A2A_VERSIONS),
    verb: z.enum(A2A_VERBS),
    params: JsonObject,
  }),
])
export type ProtocolAsk = z.output<typeof ProtocolAsk>
