import { isRecord } from '@/lib/json/guards'

/** A JSON schema from a graph's server, not validated. */
export type JsonSchema = Record<string, unknown>

const MOST_HOPS = 8

/** Follows local references to a schema; other schemas are returned unchanged. */
export function resolveSchema(schema: JsonSchema, root: JsonSchema): JsonSchema {
  let now = schema
  for (let hop = 0; hop < MOST_HOPS && typeof now.$ref === 'string' && now.$ref.startsWith('#'); hop++) {
    let target: unknown = root
    for (const part of now.$ref.slice(1).split('/').filter(Boolean)) {
      const key = decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~')
      target = isRecord(target) && Object.hasOwn(target, key) ? target[key] : undefined
    }
    if (!isRecord(target)) return now
    now = target
  }
  return now
}

/** Whether the graph takes a list of chat messages under `messages`. */
export function takesMessages(schema: JsonSchema | undefined): boolean {
  if (!schema) return false
  const { properties } = resolveSchema(schema, schema)
  if (!isRecord(properties) || !isRecord(properties.messages)) return false
  const messages = resolveSchema(properties.messages, schema)
  const types = [messages.type].flat()
  return (
    types.includes('array') ||
    Array.isArray(messages.anyOf) ||
    Array.isArray(messages.oneOf) ||
    messages.type === undefined
  )
}
