import { isRecord } from '@/lib/json/guards'

/** A JSON schema from a graph's server, not validated. */
export type JsonSchema = Readonly<Record<string, unknown>>

/** The kind of control for a part of a schema; `json` if no other fits. `takesText`: words are as good as JSON there. */
export type Shape =
  | { kind: 'text'; isLong: boolean; format?: string }
  | { kind: 'number'; isWhole: boolean; min?: number; max?: number }
  | { kind: 'flag' }
  | { kind: 'choice'; choices: readonly (string | number | boolean)[] }
  | { kind: 'object'; fields: readonly Field[]; isOpen: boolean }
  | { kind: 'list'; item: Shape }
  | { kind: 'json'; takesText: boolean }

export type Field = {
  key: string
  label: string
  description?: string
  isRequired: boolean
  /** The schema's default; undefined if it has none. */
  fallback?: unknown
  shape: Shape
}

const MAX_DEPTH = 6
/** Objects with more fields are edited as JSON, because such a form would be unusable. */
const MAX_FIELDS = 200
const LONG_FIELD = /prompt|instruction|system|template|description/i

/** The shape of a schema. Recursive references and deep nesting become `json`. */
export function shapeOf(schema: unknown): Shape {
  return isRecord(schema) ? draw(schema, schema, []) : JSON_ONLY
}

const JSON_ONLY: Shape = { kind: 'json', takesText: false }
const ANYTHING: Shape = { kind: 'json', takesText: true }

function draw(given: JsonSchema, root: JsonSchema, seen: readonly JsonSchema[], key = ''): Shape {
  const schema = plain(given, root)
  if (!schema) return { kind: 'json', takesText: takesText(given, root) }
  if (seen.includes(schema) || seen.length > MAX_DEPTH) return JSON_ONLY
  const inside = [...seen, schema]
  const values = 'const' in schema ? [schema.const] : schema.enum
  if (Array.isArray(values)) {
    const isPlain = values.every((one) => ['string', 'number', 'boolean'].includes(typeof one))
    return isPlain && values.length > 0 ? { kind: 'choice', choices: values } : JSON_ONLY
  }
  const [type, ...others] = [schema.type ?? (isRecord(schema.properties) ? 'object' : undefined)]
    .flat()
    .filter((one) => one !== 'null')
  if (others.length > 0) return { kind: 'json', takesText: takesText(schema, root) }
  switch (type) {
    case 'string': {
      const format = typeof schema.format === 'string' ? schema.format : undefined
      const isLong = LONG_FIELD.test(key) || (typeof schema.default === 'string' && schema.default.length > 80)
      return { kind: 'text', isLong, ...(format && { format }) }
    }
    case 'number':
    case 'integer':
      return { kind: 'number', isWhole: type === 'integer', ...limitsOf(schema) }
    case 'boolean':
      return { kind: 'flag' }
    case 'object': {
      const properties = isRecord(schema.properties) ? schema.properties : {}
      if (Object.keys(properties).length > MAX_FIELDS) return JSON_ONLY
      const fields = Object.entries(properties).map(([name, one]) => fieldOf(name, one, schema, root, inside))
      return { kind: 'object', fields, isOpen: schema.additionalProperties !== false }
    }
    case 'array':
      return { kind: 'list', item: isRecord(schema.items) ? draw(schema.items, root, inside) : ANYTHING }
    default:
      return { kind: 'json', takesText: takesText(schema, root) }
  }
}

/** Whether text is among what a schema accepts, because it names no type or several. */
function takesText(given: JsonSchema, root: JsonSchema, depth = 0): boolean {
  const schema = plain(given, root)
  const options = [given.anyOf, given.oneOf].find(Array.isArray) as unknown[] | undefined
  if (!schema)
    return depth < MAX_DEPTH && (options ?? []).some((one) => isRecord(one) && takesText(one, root, depth + 1))
  if (schema.type !== undefined) return [schema.type].flat().includes('string')
  return !DESCRIBING.some((key) => key in schema)
}
/** Keywords that say what a value is without naming its type. */
const DESCRIBING = ['enum', 'const', 'properties', 'items', 'allOf', 'not']

/** Whether a schema names fields and says of none what it accepts. */
export function isUntyped({ properties }: JsonSchema): boolean {
  const fields = isRecord(properties) ? Object.values(properties) : []
  const says = ['type', 'anyOf', 'oneOf', '$ref', ...DESCRIBING]
  return fields.length > 0 && fields.every((one) => isRecord(one) && !says.some((key) => key in one))
}

function fieldOf(
  key: string,
  given: unknown,
  parent: JsonSchema,
  root: JsonSchema,
  seen: readonly JsonSchema[],
): Field {
  const schema = isRecord(given) ? { ...plain(given, root), ...given } : {}
  const text = (value: unknown) => (typeof value === 'string' && value.trim() !== '' ? value : undefined)
  return {
    key,
    label: text(schema.title) ?? key,
    description: text(schema.description),
    // zod lists fields with a default as required, but they can be omitted.
    isRequired: Array.isArray(parent.required) && parent.required.includes(key) && !('default' in schema),
    ...('default' in schema && { fallback: schema.default }),
    shape: isRecord(given) ? draw(given, root, seen, key) : JSON_ONLY,
  }
}

function limitsOf({ minimum, maximum }: JsonSchema) {
  // Libraries emit their own integer limits when no limit was set.
  const isMeant = (value: unknown): value is number =>
    typeof value === 'number' && Math.abs(value) < Number.MAX_SAFE_INTEGER
  return { ...(isMeant(minimum) && { min: minimum }), ...(isMeant(maximum) && { max: maximum }) }
}

/** Resolves references and choices between null and one other schema. Undefined if that is not possible. */
function plain(given: JsonSchema, root: JsonSchema): JsonSchema | undefined {
  let schema = given
  for (let hop = 0; hop < 16; hop++) {
    const options = [schema.anyOf, schema.oneOf, schema.allOf].find(Array.isArray) as unknown[] | undefined
    if (typeof schema.$ref === 'string') {
      const target = targetOf(schema.$ref, root)
      if (!target) return undefined
      schema = target
    } else if (options && schema.type === undefined && !('properties' in schema)) {
      const left = options.filter((one) => isRecord(one) && one.type !== 'null')
      if (left.length !== 1 || !isRecord(left[0])) return undefined
      schema = left[0]
    } else return schema
  }
  return undefined
}

function targetOf(ref: string, root: JsonSchema): JsonSchema | undefined {
  if (!ref.startsWith('#')) return undefined
  let target: unknown = root
  for (const part of ref.slice(1).split('/').filter(Boolean)) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~')
    target = isRecord(target) && Object.hasOwn(target, key) ? target[key] : undefined
  }
  return isRecord(target) ? target : undefined
}

/** The kind of a shape in words. */
export function shapeWord(shape: Shape): string {
  switch (shape.kind) {
    case 'number':
      return shape.isWhole ? 'whole number' : 'number'
    case 'flag':
      return 'boolean'
    case 'choice':
      return `one of ${shape.choices.map((one) => (one === '' ? 'an empty text' : String(one))).join(', ')}`
    case 'list':
      return `list of ${shapeWord(shape.item)}`
    case 'json':
      return shape.takesText ? 'text or JSON' : 'any JSON'
    default:
      return shape.kind
  }
}
