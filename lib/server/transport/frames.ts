import 'server-only'
import type { LiveFrame } from '@/lib/contracts/wire/live'

/** Sent first: headers wait for the first byte of the body. */
export const OPENING = Buffer.from(': open\n\n')
export const KEEP_ALIVE = Buffer.from(': keep-alive\n\n')

const START = 'event: frame\ndata: '
const END = Buffer.from(']}\n\n')

export const frame = (content: LiveFrame): Buffer => Buffer.from(`${START}${JSON.stringify(content)}\n\n`)

/** A frame with a value that is already JSON text. */
export const valueFrame = (id: string, text: string, at: number): Buffer =>
  Buffer.from(`${START}{"id":${JSON.stringify(id)},"at":${at},"value":${text}}\n\n`)

const COMMA = Buffer.from(',')

export type EntriesHead = { id: string; total: number; epoch: number; phase: string }

/** A frame of encoded entries, in parts. JSON text has no line breaks, so one data line is enough. */
export function entriesFrame({ id, total, epoch, phase }: EntriesHead, encoded: readonly Buffer[]): Buffer[] {
  const head = `${START}{"id":${JSON.stringify(id)},"total":${total},"epoch":${epoch},"phase":"${phase}","entries":[`
  return [Buffer.from(head), ...encoded.flatMap((one, index) => (index === 0 ? [one] : [COMMA, one])), END]
}
