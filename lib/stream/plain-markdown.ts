/** The start of a text that is read; a preview needs no more. */
const MOST_READ = 2_000

const LINE_STARTS = /^[ \t]*(?:(?:#{1,6}|>|[-*+]|\d{1,9}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?)+/gm
/** Code fences, rules, and the line below a table's head. */
const MARK_LINES = /^[ \t]*(?:(?:`{3,}|~{3,}).*|(?:[-*_][ \t]*){3,}|\|?[ \t]*:?-{3,}:?[ \t]*(?:\|[ \t:|-]*)?)$/gm
const LINK = /!?\[([^[\]\n]*)\]\([^()\s]*(?:\([^()\s]*\)[^()\s]*)*(?:[ \t]+"[^"\n]*")?\)/g
const STRONG = /(\*\*|~~)(?=\S)([^\n]*?\S)\1/g
const STRONG_LINE = /(?<![\p{L}\p{N}_])__(?=\S)([^\n]*?\S)__(?![\p{L}\p{N}_])/gu
const EMPHASIS = /(?<![\p{L}\p{N}*])\*(?=[^\s*])([^*\n]*?[^\s*])\*(?![\p{L}\p{N}*])/gu
const EMPHASIS_LINE = /(?<![\p{L}\p{N}_])_(?=[^\s_])([^_\n]*?[^\s_])_(?![\p{L}\p{N}_])/gu
const CODE = /(`+)[ ]?([^`\n]+?)[ ]?\1(?!`)/g
const CELLS = /^[ \t]*\|(.*)\|[ \t]*$/gm

/**
 * Markdown without its marks, for previews of one line. Not a parser, because lists must not load one: marks that it cannot
 * tell from text stay.
 */
export function plainMarkdown(markdown: string): string {
  return markdown
    .slice(0, MOST_READ)
    .replace(MARK_LINES, '')
    .replace(LINE_STARTS, '')
    .replace(CELLS, (_row, cells: string) => cells.split('|').join(' '))
    .replace(LINK, '$1')
    .split(CODE)
    .map((part, at) => (at % 3 === 0 ? withoutEmphasis(part) : at % 3 === 1 ? '' : part))
    .join('')
}

const withoutEmphasis = (text: string): string =>
  text.replace(STRONG, '$2').replace(STRONG_LINE, '$1').replace(EMPHASIS, '$1').replace(EMPHASIS_LINE, '$1')
