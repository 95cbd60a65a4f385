import { createHash, timingSafeEqual } from 'node:crypto'

const digest = (text: string) => createHash('sha256').update(text).digest()

/** Compares in constant time; hashing makes the lengths equal. */
export function createKeyCheck(apiKey: string): (given: string) => boolean {
  const expected = digest(apiKey)
  return (given) => timingSafeEqual(digest(given), expected)
}
