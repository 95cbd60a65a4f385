import 'server-only'
import { createHash } from 'node:crypto'

/** The same id for the same words, in the form of a random one: a record made with it is never made twice. */
export function idFromKey(words: readonly string[]): string {
  const digits = createHash('sha256').update(JSON.stringify(words)).digest('hex')
  return digits.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, '$1-$2-4$3-a$4-$5')
}
