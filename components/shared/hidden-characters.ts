/** A stretch of text: plain as it is, or one character that a person could not see or that changes how others are shown. */
export type TextPiece = { text: string; hidden?: undefined } | { text: string; hidden: string }

/**
 * Characters that hide or reorder others: C0 and C1 controls except tab and line ends, soft hyphen, the bidirectional
 * controls, zero-width and other invisible formatting, line and paragraph separators, variation selectors' supplement,
 * tag characters, and lone surrogates. The plain zero-width joiner and emoji's variation selector are left alone
 * between two characters that they join.
 */
const HIDDEN =
  /[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F\u00AD\u034F\u061C\u115F\u1160\u17B4\u17B5\u180B-\u180F\u200B-\u200F\u2028-\u202E\u2060-\u206F\u3164\uFE00-\uFE0E\uFEFF\uFFA0\uFFF0-\uFFFB]|[\u{E0000}-\u{E0FFF}]|\r(?!\n)|[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/gu
/** A cheap look first: nearly all text has none. */
const MAY_HIDE = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u00AD\u034F\u061C\u115F\u1160\u17B4\u17B5\u180B-\u180F\u200B-\u200F\u2028-\u202E\u2060-\u206F\u3164\uD800-\uDFFF\uFE00-\uFE0E\uFEFF\uFFA0\uFFF0-\uFFFB]/

const NAMES: Record<number, string> = {
  0x00: 'NUL',
  0x08: 'BS',
  0x0b: 'VT',
  0x0c: 'FF',
  0x0d: 'CR',
  0x1b: 'ESC',
  0x7f: 'DEL',
  0xad: 'SHY',
  0x61c: 'ALM',
  0x200b: 'ZWSP',
  0x200c: 'ZWNJ',
  0x200d: 'ZWJ',
  0x200e: 'LRM',
  0x200f: 'RLM',
  0x2028: 'LS',
  0x2029: 'PS',
  0x202a: 'LRE',
  0x202b: 'RLE',
  0x202c: 'PDF',
  0x202d: 'LRO',
  0x202e: 'RLO',
  0x2060: 'WJ',
  0x2066: 'LRI',
  0x2067: 'RLI',
  0x2068: 'FSI',
  0x2069: 'PDI',
  0xfeff: 'BOM',
}

const nameOf = (character: string): string => {
  const code = character.codePointAt(0) ?? 0
  return NAMES[code] ?? `U+${code.toString(16).toUpperCase().padStart(4, '0')}`
}

const ZWJ = '\u200D'
const PICTURE = /\p{Extended_Pictographic}\uFE0F?$|[\u{1F3FB}-\u{1F3FF}]$/u

/** Splits text so that hidden characters can be shown as tokens; joined pieces give the text again. */
export function splitHidden(text: string): TextPiece[] {
  if (!MAY_HIDE.test(text)) return [{ text }]
  const pieces: TextPiece[] = []
  let from = 0
  for (const match of text.matchAll(HIDDEN)) {
    // A joiner inside an emoji (family, flag) draws one picture; anywhere else it is invisible.
    if (match[0] === ZWJ && PICTURE.test(text.slice(Math.max(0, match.index - 3), match.index))) continue
    if (match.index > from) pieces.push({ text: text.slice(from, match.index) })
    pieces.push({ text: match[0], hidden: nameOf(match[0]) })
    from = match.index + match[0].length
  }
  if (from < text.length) pieces.push({ text: text.slice(from) })
  return pieces
}
