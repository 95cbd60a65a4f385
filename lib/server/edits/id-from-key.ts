import 'server-only'
import { createHash } from 'node:crypto'

/** A UUID derived from `words`. Creating a record with it twice cannot create two records. */
export function idFromKey(words: readonly string[]): string {
  const digits = createHash('sha256').update(JSON.stringify(words)).digest('hex')
  return digits.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, '$1-$2-4$3-a$4-$5')
}
