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

/** Keywords that name or describe an input, and say nothing of what is in it. */
const SILENT = ['$schema', '$id', '$comment', '$defs', 'definitions', 'title', 'description', 'default', 'examples']

/** The input schema if it says what the graph takes. Without one, a message and JSON are both offered. */
export function knownSchema(schema: JsonSchema | null | undefined): JsonSchema | undefined {
  if (!schema) return undefined
  const { type, properties, required, additionalProperties, ...rest } = resolveSchema(schema, schema)
  const isEmpty = (value: unknown) => value === undefined || (isRecord(value) && Object.keys(value).length === 0)
  const isSilent =
    (type === undefined || [type].flat().includes('object')) &&
    isEmpty(properties) &&
    (required === undefined || (Array.isArray(required) && required.length === 0)) &&
    (typeof additionalProperties === 'boolean' || isEmpty(additionalProperties)) &&
    Object.keys(rest).every((key) => SILENT.includes(key))
  return isSilent ? undefined : schema
}

/** Whether a message can be offered: the graph takes messages, or nothing is known of what it takes. */
export const mayTakeMessages = (known: JsonSchema | undefined): boolean => !known || takesMessages(known)

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
