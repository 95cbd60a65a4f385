import type { Block, BlockBody } from './message'
import { type Json, kindOf } from './values'

export type Read = {
  block: Json
  /** Adds a flaw at a key of the block. */
  note(key: string, reason: string): void
  /** Reads blocks inside this one; `value` is at `key`. */
  content(value: unknown, key: string): Block[]
}
export type BlockReader = (read: Read) => BlockBody

/** A block without a field that it needs. */
export const missing = (key: string, value: unknown): BlockBody => ({
  type: 'raw',
  reason: value === undefined ? `${key} is missing` : `${key} is ${kindOf(value)}, not text`,
})
