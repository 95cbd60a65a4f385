import { parseJson } from '@/lib/json/lossless'

/** The edited texts as values. fromEntries defines `__proto__` as a plain key; an assignment would set the prototype. */
export const writtenValues = (texts: Readonly<Record<string, string>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, parseJson(text)]))

/** The named members that a record has. */
export const pick = (record: Readonly<Record<string, unknown>>, names: readonly string[]): Record<string, unknown> =>
  Object.fromEntries(Object.entries(record).filter(([name]) => names.includes(name)))
