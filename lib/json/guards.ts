/** A JSON object: no array, no LosslessNumber and no other class instance. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  // Objects of another realm have another Object.prototype, which has no prototype either.
  return prototype === null || Object.getPrototypeOf(prototype) === null
}

/** An array or a JSON object. */
export const isContainer = (value: unknown): value is object => Array.isArray(value) || isRecord(value)

/** The table's own entry for a name from outside: `__proto__` and `constructor` have none. */
export const entryOf = <T>(table: Readonly<Record<string, T>>, name: string): T | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** A UUID of any version, in upper or lower case. */
export const isUuid = (text: string): boolean => UUID.test(text)
