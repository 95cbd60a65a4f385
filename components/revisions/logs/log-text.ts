import { splitHidden } from '@/lib/format/hidden-characters'

const ESC = '\\u001B'
/**
 * What programs send to a terminal besides text: colours and cursor moves (CSI), titles and links (OSC, ended by BEL or ESC \),
 * and short sequences. One that has no end stays and is shown, so that it cannot swallow what follows.
 */
const ANSI = new RegExp(
  `${ESC}\\[[0-?]*[ -/]*[@-~]|\\u009B[0-?]*[ -/]*[@-~]|${ESC}\\][^\\u0007\\u001B]*(?:\\u0007|${ESC}\\\\)|${ESC}[ -/]*[0-Z\\\\^-~]`,
  'g',
)
const MAY_ESCAPE = new RegExp(`[${ESC}\\u009B]`)

/** A line as it is shown: without terminal sequences, with every invisible or reordering character by its name, in one text. */
export function shownText(message: string): string {
  const plain = MAY_ESCAPE.test(message) ? message.replace(ANSI, '') : message
  const pieces = splitHidden(plain)
  return pieces.length === 1 && !pieces[0]?.hidden
    ? plain
    : pieces.map(({ text, hidden }) => (hidden ? `⟦${hidden}⟧` : text)).join('')
}

/** The lines of a message, a trailing line break aside. */
export const linesOf = (message: string): string[] =>
  message.includes('\n') ? message.replace(/\r?\n$/, '').split(/\r?\n/) : [message]

/** The moment of a line; undefined where the server gave none that can be read. Epoch ms may come as text. */
export function momentOf(timestamp: string | number | null | undefined): Date | undefined {
  if (timestamp === null || timestamp === undefined || timestamp === '') return undefined
  const date = new Date(/^\d{10,16}$/.test(String(timestamp)) ? Number(timestamp) : timestamp)
  return Number.isNaN(date.getTime()) ? undefined : date
}
