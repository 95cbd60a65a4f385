/** A piece of text: plain, or one character that is invisible or changes how others are shown. */
export type TextPiece = { text: string; hidden?: undefined } | { text: string; hidden: string }

/**
 * Characters that hide or reorder others, as ranges of a character class: controls except tab and line ends, soft
 * hyphen, fillers, zero-width and bidirectional formatting, separators, variation selectors (except for emoji).
 */
const RANGES = [
  '\\u0000-\\u0008\\u000B\\u000C\\u000E-\\u001F\\u007F-\\u009F\\u00AD',
  '\\u034F\\u061C\\u115F\\u1160\\u17B4\\u17B5\\u180B-\\u180F',
  '\\u200B-\\u200F\\u2028-\\u202E\\u2060-\\u206F',
  '\\u3164\\uFE00-\\uFE0E\\uFEFF\\uFFA0\\uFFF0-\\uFFFB',
].join('')
const LONE_CR = '\\r(?!\\n)'
const LONE_SURROGATE = '[\\uD800-\\uDBFF](?![\\uDC00-\\uDFFF])|(?<![\\uD800-\\uDBFF])[\\uDC00-\\uDFFF]'
const TAGS = '[\\u{E0000}-\\u{E0FFF}]'

const HIDDEN = new RegExp(`[${RANGES}]|${TAGS}|${LONE_CR}|${LONE_SURROGATE}`, 'gu')
/** A cheap check first, because nearly all text has none. */
const MAY_HIDE = new RegExp(`[\\r\\uD800-\\uDFFF${RANGES}]`)

const NAMES: Record<number, string> = {
  0: 'NUL',
  8: 'BS',
  11: 'VT',
  12: 'FF',
  13: 'CR',
  27: 'ESC',
  127: 'DEL',
  173: 'SHY',
  1564: 'ALM',
  8203: 'ZWSP',
  8204: 'ZWNJ',
  8205: 'ZWJ',
  8206: 'LRM',
  8207: 'RLM',
  8232: 'LS',
  8233: 'PS',
  8234: 'LRE',
  8235: 'RLE',
  8236: 'PDF',
  8237: 'LRO',
  8238: 'RLO',
  8288: 'WJ',
  8294: 'LRI',
  8295: 'RLI',
  8296: 'FSI',
  8297: 'PDI',
  65279: 'BOM',
}

const nameOf = (character: string): string => {
  const code = character.codePointAt(0) ?? 0
  return NAMES[code] ?? `U+${code.toString(16).toUpperCase().padStart(4, '0')}`
}

const ZWJ = '\u200D'
const PICTURE = /\p{Extended_Pictographic}\uFE0F?$|[\u{1F3FB}-\u{1F3FF}]$/u

/** Splits text so that hidden characters can be shown as tokens. Joining the pieces restores the text. */
export function splitHidden(text: string): TextPiece[] {
  if (!MAY_HIDE.test(text)) return [{ text }]
  const pieces: TextPiece[] = []
  let from = 0
  for (const match of text.matchAll(HIDDEN)) {
    // A joiner within an emoji (family, flag) is part of one picture; anywhere else it is invisible.
    if (match[0] === ZWJ && PICTURE.test(text.slice(Math.max(0, match.index - 3), match.index))) continue
    if (match.index > from) pieces.push({ text: text.slice(from, match.index) })
    pieces.push({ text: match[0], hidden: nameOf(match[0]) })
    from = match.index + match[0].length
  }
  if (from < text.length) pieces.push({ text: text.slice(from) })
  return pieces
}

/** For places that only take text (a label, tooltip or cell): hidden characters are named in brackets. */
export const shownText = (text: string, most = Number.POSITIVE_INFINITY): string => {
  const shown = splitHidden(text)
    .map((piece) => (piece.hidden ? `[${piece.hidden}]` : piece.text))
    .join('')
  return shown.length > most ? `${shown.slice(0, most - 1)}…` : shown
}

/** Whether it has characters that are invisible or change how others are shown. */
export const hasHidden = (text: string): boolean => splitHidden(text).some((piece) => piece.hidden)

/** Equivalent JSON with hidden characters as escapes. */
export const withEscapes = (json: string): string =>
  splitHidden(json)
    .map(({ text, hidden }) => (hidden ? text.replace(/[\s\S]/g, escapeOf) : text))
    .join('')
const escapeOf = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`

const MOST = 80

/**
 * Whether a name can be typed to confirm a deletion. Otherwise the id is required, because an escaped name could match
 * another deployment and copying it would confirm something unread.
 */
export const isTypable = (name: string): boolean =>
  name.length <= MOST && name === name.trim() && !hasHidden(name) && !/\s{2}|[^\S ]/.test(name)
