// CSV for spreadsheets (RFC 4180): every cell in quotes, lines end in CR LF.

/** Excel assumes a legacy character set without it. Other readers may show it as three odd characters. */
export const BOM = '\uFEFF'

// Spreadsheets treat cells that begin like this as formulas (OWASP, CSV injection); some also accept the full-width
// forms.
const FORMULA = /^[\s\uFEFF]*[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20|%]/

/** One cell. Text that a spreadsheet would run as a formula gets an apostrophe in front. */
export function csvCell(value: string | number | boolean | null | undefined): string {
  const text = value === null || value === undefined ? '' : String(value)
  // Our own numbers are safe, and negative ones must stay numbers.
  const isRisky = typeof value === 'string' && (FORMULA.test(text) || /^[\t\r\n]/.test(text))
  return `"${(isRisky ? `'${text}` : text).replaceAll('"', '""')}"`
}

export const csvLine = (values: readonly (string | number | boolean | null | undefined)[]): string =>
  `${values.map(csvCell).join(',')}\r\n`

/** Most rows of an export; a truncated file says so. */
export const EXPORT_CAP = 50_000
