import type { LiveFrame } from '@/lib/contracts/wire/live'
import { readEntries } from '@/lib/stream/entry-text'

const ENTRIES = '"entries":['

/** Parses a frame: JSON, except for a recording's entries, which have their own form. */
export function decodeFrame(text: string): LiveFrame {
  if (!text.includes('\u001e')) return JSON.parse(text)
  const from = text.indexOf(ENTRIES) + ENTRIES.length
  const frame = JSON.parse(`${text.slice(0, from)}]}`)
  frame.entries = readEntries(text.slice(from, -2))
  return frame
}
