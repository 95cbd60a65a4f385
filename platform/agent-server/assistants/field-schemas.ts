import type TypeScript from 'typescript-5'

type Compiler = typeof TypeScript
export type JsonSchema = Record<string, unknown>

/** Limits for types that unfold without an end. What is deeper is open, and so is a field of more types. */
const DEEPEST = 8
const MOST_TYPES = 200
/** Nothing of a message but this is the same in all versions of its class. */
const MESSAGE = {
  type: 'object',
  properties: { type: { type: 'string' }, content: {} },
  required: ['type', 'content'],
}
export const MESSAGES = { type: 'array', items: MESSAGE }

/** The compiler orders the members of a union by where it saw each first. */
const ascending = (one: string | number, other: string | number) => (one < other ? -1 : 1)

/**
 * JSON Schemas of an object type's fields, as their values look in JSON. A type without such a form, like a class, is open:
 * `{}`. Returns undefined for a type without fields.
 */
export function describeFields(
  ts: Compiler,
  program: TypeScript.Program,
  type: TypeScript.Type,
): Record<string, JsonSchema> | undefined {
  const checker = program.getTypeChecker()
  /** Of one field. */
  let described = 0
  const has = (type: TypeScript.Type, flags: TypeScript.TypeFlags) => (type.flags & flags) !== 0
  const nameOf = (type: TypeScript.Type) => type.symbol?.getName()
  /** What may be a message may also be a tuple, a text or an object of many forms. */
  const isMessage = (type: TypeScript.Type): boolean =>
    type.isUnion()
      ? type.types.some(isMessage)
      : type.getProperty('content') !== undefined &&
        (type.getProperty('_getType') ?? type.getProperty('getType')) !== undefined
  const itemOf = (type: TypeScript.Type) =>
    checker.isArrayType(type) ? checker.getTypeArguments(type as TypeScript.TypeReference)[0] : undefined
  const isMessages = (type: TypeScript.Type) => isMessage(itemOf(type) ?? type)
  /** A class of the language, but not one of its helpers for types, which have no name of their own. */
  const isBuiltIn = (type: TypeScript.Type) =>
    nameOf(type) !== '__type' &&
    type.symbol?.declarations?.some((one) => program.isSourceFileDefaultLibrary(one.getSourceFile())) === true

  const isFunction = (type: TypeScript.Type) => type.getCallSignatures().length > 0

  /** An update may also be an instruction of the runtime, such as one to overwrite the value, which no user types in. */
  const isInstruction = (type: TypeScript.Type) =>
    type.getProperty('__overwrite__') !== undefined || /^Overwrite/.test(nameOf(type) ?? '')

  function schemaOf(type: TypeScript.Type, above: readonly TypeScript.Type[]): JsonSchema {
    described += 1
    if (above.length > DEEPEST || described > MOST_TYPES || above.includes(type)) return {}
    const inside = (inner: TypeScript.Type) => schemaOf(inner, [...above, type])
    const { TypeFlags } = ts
    if (isMessage(type))
      return type.isUnion() && type.types.some((one) => itemOf(one) && isMessages(one)) ? MESSAGES : MESSAGE
    if (type.isUnion()) return unionOf(type, inside)
    if (type.isStringLiteral() || type.isNumberLiteral()) return { const: type.value }
    if (has(type, TypeFlags.BooleanLiteral)) return { const: checker.typeToString(type) === 'true' }
    if (has(type, TypeFlags.StringLike)) return { type: 'string' }
    if (has(type, TypeFlags.NumberLike)) return { type: 'number' }
    if (has(type, TypeFlags.Null)) return { type: 'null' }
    // A brand on a plain value.
    const plain =
      type.isIntersection() && type.types.find((one) => has(one, TypeFlags.StringLike | TypeFlags.NumberLike))
    if (plain) return inside(plain)
    if (!has(type, TypeFlags.Object | TypeFlags.Intersection)) return {}
    if (checker.isTupleType(type)) {
      const items = checker.getTypeArguments(type as TypeScript.TypeReference).map(inside)
      return { type: 'array', prefixItems: items }
    }
    const item = itemOf(type)
    if (item) return { type: 'array', items: inside(item) }
    if (nameOf(type) === 'Date') return { type: 'string', format: 'date-time' }
    return objectOf(type, inside)
  }

  function unionOf(type: TypeScript.UnionType, inside: (type: TypeScript.Type) => JsonSchema): JsonSchema {
    const members = type.types.filter((one) => !has(one, ts.TypeFlags.Undefined) && !isInstruction(one))
    const schemas = members.map(inside)
    // A boolean is the union of its two literals.
    const isBoolean = (schema: JsonSchema) => typeof schema.const === 'boolean'
    const forms =
      schemas.filter(isBoolean).length === 2
        ? [{ type: 'boolean' }, ...schemas.filter((schema) => !isBoolean(schema))]
        : schemas
    const literals = forms.filter((schema) => 'const' in schema)
    const others = forms.filter((schema) => !('const' in schema))
    if (literals.length > 1)
      others.unshift({ enum: literals.map((schema) => schema.const as string | number).sort(ascending) })
    else others.unshift(...literals)
    // What may be anything is open as a whole.
    if (others.some((schema) => Object.keys(schema).length === 0)) return {}
    const different = [...new Map(others.map((schema) => [JSON.stringify(schema), schema])).values()]
    return different.length > 1 ? { anyOf: different } : (different[0] ?? {})
  }

  function objectOf(type: TypeScript.Type, inside: (type: TypeScript.Type) => JsonSchema): JsonSchema {
    if (isFunction(type) || type.isClass() || isBuiltIn(type)) return {}
    const entry = type.getStringIndexType()
    const members = propertiesOf(type).filter(({ type }) => !isFunction(type))
    const properties = members.map(({ name, type, description }) => {
      return [name, { ...inside(type), ...(description && { description }) }]
    })
    const required = members.filter(({ isOptional }) => !isOptional).map(({ name }) => name)
    return {
      type: 'object',
      ...(properties.length > 0 && { properties: Object.fromEntries(properties) }),
      ...(required.length > 0 && { required }),
      ...(entry && { additionalProperties: inside(entry) }),
    }
  }

  function propertiesOf(type: TypeScript.Type) {
    return checker.getPropertiesOfType(type).flatMap((symbol) => {
      const name = symbol.getName()
      // Names of symbols start like this.
      if (name.startsWith('__@')) return []
      const isOptional = (symbol.flags & ts.SymbolFlags.Optional) !== 0
      const description = ts.displayPartsToString(symbol.getDocumentationComment(checker)).trim()
      return [{ name, type: checker.getTypeOfSymbol(symbol), isOptional, description }]
    })
  }

  const fields = propertiesOf(type).map(({ name, type: inner, description }) => {
    described = 0
    const schema = schemaOf(inner, [type])
    return [name, { ...(described <= MOST_TYPES && schema), ...(description && { description }) }]
  })
  return fields.length > 0 ? Object.fromEntries(fields) : undefined
}
