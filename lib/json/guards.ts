/** A JSON object: no array, no LosslessNumber and no other class instance. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  // An object of another realm has another Object.prototype, so look for a prototype that has none itself.
  return prototype === null || Object.getPrototypeOf(prototype) === null
}

/** An array or a JSON object: what has values inside. */
export const isContainer = (value: unknown): value is object => Array.isArray(value) || isRecord(value)

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** A UUID of any version, in upper or lower case. */
export const isUuid = (text: string): boolean => UUID.test(text)
