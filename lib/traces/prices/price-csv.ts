import type { Price } from '../cost'

/** The column order of a paste without a header. */
export const PRICE_COLUMNS = [
  'model',
  'provider',
  'input',
  'output',
  'cached_input',
  'reasoning',
  'valid_from',
  'cache_write',
  'cache_write_1h',
] as const
type Column = (typeof PRICE_COLUMNS)[number]

export type PriceCsv = { prices: Price[]; problems: { line: number; reason: string }[] }

/** Reads pasted prices separated by commas, semicolons or tabs, with or without a header. Bad lines are reported and skipped. */
export function readPriceCsv(text: string): PriceCsv {
  const prices: Price[] = []
  const problems: PriceCsv['problems'] = []
  let columns: readonly (Column | undefined)[] = PRICE_COLUMNS
  const separator = text.includes('\t') ? '\t' : text.includes(';') ? ';' : ','
  for (const [index, line] of text.split(/\r\n|\r|\n/).entries()) {
    if (line.trim() === '') continue
    const cells = cellsOf(line, separator)
    if (prices.length === 0 && problems.length === 0 && columnOf(cells[0] ?? '') === 'model') {
      columns = cells.map(columnOf)
      continue
    }
    const read = priceOf((name) => cells[columns.indexOf(name)]?.trim() ?? '')
    if (typeof read === 'string') problems.push({ line: index + 1, reason: read })
    else prices.push(read)
  }
  return { prices, problems }
}

function priceOf(cell: (name: Column) => string): Price | string {
  const model = cell('model')
  if (model === '') return 'the model is missing'
  const amounts = AMOUNTS.map((name) => amountOf(cell(name)))
  const [input, output, cachedInput, reasoning, cacheWrite, cacheWrite1h] = amounts
  if (typeof input !== 'number') return 'the input price is not a number'
  if (typeof output !== 'number') return 'the output price is not a number'
  if (cachedInput === undefined) return 'the cached input price is not a number'
  if (reasoning === undefined) return 'the reasoning price is not a number'
  if (cacheWrite === undefined) return 'the price of cache writes is not a number'
  if (cacheWrite1h === undefined) return 'the price of cache writes for an hour is not a number'
  const day = cell('valid_from')
  if (day !== '' && !(/^\d{4}-\d\d-\d\d$/.test(day) && !Number.isNaN(Date.parse(day))))
    return 'the date must look like 2026-01-31'
  return {
    ...{ model, provider: cell('provider') || null, input, output, cachedInput, reasoning },
    ...{ cacheWrite, cacheWrite1h, validFrom: day || null },
  }
}
const AMOUNTS = ['input', 'output', 'cached_input', 'reasoning', 'cache_write', 'cache_write_1h'] as const

/** A price as a number; null for an empty text, undefined for an invalid one. */
export function amountOf(text: string): number | null | undefined {
  const plain = text.trim().replace(/^\$\s*/, '')
  if (plain === '') return null
  return /^(\d+\.?\d*|\.\d+)(e-?\d+)?$/i.test(plain) ? Number(plain) : undefined
}

const columnOf = (name: string): Column | undefined => {
  const plain = name.trim().toLowerCase().replace(/[ -]/g, '_')
  return PRICE_COLUMNS.find((column) => column === plain)
}

/** The cells of a line. Inside quotes a separator is text, and two quotes stand for one. */
function cellsOf(line: string, separator: string): string[] {
  const cells: string[] = []
  let cell = ''
  let isQuoted = false
  for (let at = 0; at < line.length; at++) {
    const char = line.charAt(at)
    if (char === '"') {
      if (isQuoted && line[at + 1] === '"') {
        cell += '"'
        at++
      } else isQuoted = !isQuoted
    } else if (char === separator && !isQuoted) {
      cells.push(cell)
      cell = ''
    } else cell += char
  }
  return [...cells, cell]
}
