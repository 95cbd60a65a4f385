import { isRecord } from '@/lib/json/guards'
import { type JsonSchema, resolveSchema } from './takes-messages'

const MOST = 4

/**
 * What a person could say first, from the `examples` of a graph's input schema: those of its messages, then those of the
 * whole input. Only examples of one message are used.
 */
export function firstMessages(schema: JsonSchema | undefined): string[] {
  if (!schema) return []
  const { properties, examples } = resolveSchema(schema, schema)
  const given = isRecord(properties) && isRecord(properties.messages) ? properties.messages : {}
  const messages = [
    ...listOf(given.examples ?? resolveSchema(given, schema).examples),
    ...listOf(examples).map((input) => (isRecord(input) ? input.messages : undefined)),
  ]
  return [...new Set(messages.flatMap(textOf))].slice(0, MOST)
}

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])

function textOf(messages: unknown): string[] {
  const [first, ...more] = listOf(messages)
  if (!isRecord(first) || more.length > 0 || typeof first.content !== 'string') return []
  const text = first.content.trim()
  return text !== '' && ['user', 'human'].includes(String(first.role ?? first.type)) ? [text] : []
}
