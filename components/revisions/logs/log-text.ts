import { splitHidden } from '@/lib/format/hidden-characters'

const ESC = '\\u001B'
/**
 * Terminal sequences: colours and cursor moves (CSI), titles and links (OSC, ended by BEL or ESC \\), and short ones. An
 * unterminated one stays visible, so that it cannot hide what follows.
 */
const ANSI = new RegExp(
  `${ESC}\\[[0-?]*[ -/]*[@-~]|\\u009B[0-?]*[ -/]*[@-~]|${ESC}\\][^\\u0007\\u001B]*(?:\\u0007|${ESC}\\\\)|${ESC}[ -/]*[0-Z\\\\^-~]`,
  'g',
)
const MAY_ESCAPE = new RegExp(`[${ESC}\\u009B]`)

/** A line for display: without terminal sequences, and with every invisible or reordering character replaced by its name. */
export function shownText(message: string): string {
  const plain = MAY_ESCAPE.test(message) ? message.replace(ANSI, '') : message
  const pieces = splitHidden(plain)
  return pieces.length === 1 && !pieces[0]?.hidden
    ? plain
    : pieces.map(({ text, hidden }) => (hidden ? `⟦${hidden}⟧` : text)).join('')
}

/** The lines of a message, without a trailing line break. */
export const linesOf = (message: string): string[] =>
  message.includes('\n') ? message.replace(/\r?\n$/, '').split(/\r?\n/) : [message]

/** The time of a line; undefined if missing or invalid. Epoch ms may come as text. */
export function momentOf(timestamp: string | number | null | undefined): Date | undefined {
  if (timestamp === null || timestamp === undefined || timestamp === '') return undefined
  const date = new Date(/^\d{10,16}$/.test(String(timestamp)) ? Number(timestamp) : timestamp)
  return Number.isNaN(date.getTime()) ? undefined : date
}
