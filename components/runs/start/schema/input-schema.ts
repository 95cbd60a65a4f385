import { isRecord } from '@/lib/json/guards'
import { jsonText } from '@/lib/json/value'
import { type JsonSchema, resolveSchema, takesMessages } from './takes-messages'

const MAX_DEPTH = 8

/**
 * The initial input as text. `isForm`: for a form, which shows all keys anyway. So it begins with the values that the schema
 * gives and the keys that it requires; nobody chose the others.
 */
export function skeletonText(schema: JsonSchema | undefined, isForm = false): string {
  const input = inputSkeleton(schema)
  if (!isForm || !schema || !isRecord(input)) return jsonText(input)
  const { properties, required } = resolveSchema(schema, schema)
  const isGiven = (name: string) => {
    const property = isRecord(properties) ? properties[name] : undefined
    const found = isRecord(property) ? resolveSchema(property, schema) : {}
    return ['default', 'examples', 'const'].some((key) => key in found)
  }
  const isKept = ([name, value]: [string, unknown]) =>
    value !== null && (name === 'messages' || (Array.isArray(required) && required.includes(name)) || isGiven(name))
  return jsonText(Object.fromEntries(Object.entries(input).filter(isKept)))
}

/** An initial input: every key of the schema with its default, example or an empty value. */
export function inputSkeleton(schema: JsonSchema | undefined): unknown {
  if (!schema) return {}
  const input = skeleton(schema, schema, 0)
  return isRecord(input) && takesMessages(schema) ? { ...input, messages: [{ role: 'user', content: '' }] } : input
}

function skeleton(given: JsonSchema, root: JsonSchema, depth: number): unknown {
  const schema = resolveSchema(given, root)
  if ('default' in schema) return schema.default
  if (Array.isArray(schema.examples) && schema.examples.length > 0) return schema.examples[0]
  if ('const' in schema) return schema.const
  if (Array.isArray(schema.enum)) return schema.enum[0] ?? null
  const choice = [schema.anyOf, schema.oneOf, schema.allOf].find((list) => Array.isArray(list) && list.length > 0)
  if (Array.isArray(choice) && !isRecord(schema.properties)) {
    const options = choice.filter(isRecord).map((option) => resolveSchema(option, root))
    const first = options.find((option) => option.type !== 'null') ?? options[0]
    return first && depth < MAX_DEPTH ? skeleton(first, root, depth + 1) : null
  }
  const type = Array.isArray(schema.type) ? (schema.type.find((one) => one !== 'null') ?? 'null') : schema.type
  if (type === 'object' || (type === undefined && isRecord(schema.properties)))
    return objectSkeleton(schema, root, depth)
  if (type === 'array') return []
  if (type === 'string') return ''
  if (type === 'boolean') return false
  if (type === 'number' || type === 'integer') return typeof schema.minimum === 'number' ? schema.minimum : 0
  return type === undefined && depth === 0 ? {} : null
}

function objectSkeleton(schema: JsonSchema, root: JsonSchema, depth: number): JsonSchema {
  if (!isRecord(schema.properties) || depth >= MAX_DEPTH) return {}
  const required = new Set(Array.isArray(schema.required) ? schema.required : [])
  // Below the top level only required keys, because optional objects can be left out.
  const names = Object.keys(schema.properties).filter((name) => depth === 0 || required.has(name))
  return Object.fromEntries(
    names.map((name) => {
      const property = (schema.properties as JsonSchema)[name]
      return [name, isRecord(property) ? skeleton(property, root, depth + 1) : null]
    }),
  )
}
