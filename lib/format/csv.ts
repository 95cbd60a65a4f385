// CSV as spreadsheets read it: RFC 4180, every cell in quotes, lines end in CR LF.

/** For Excel, which takes a file without it for the machine's old character set. Other readers may show it as three odd characters. */
export const BOM = '\uFEFF'

// Spreadsheets run a cell that begins so as a formula (OWASP, CSV injection); the full-width forms count in some of them.
const FORMULA = /^[\s\uFEFF]*[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20|%]/

/** One cell. What a spreadsheet would run as a formula gets an apostrophe in front, which shows it as text. */
export function csvCell(value: string | number | boolean | null | undefined): string {
  const text = value === null || value === undefined ? '' : String(value)
  // A number of ours is no one's input, and negative ones are to stay numbers.
  const isRisky = typeof value === 'string' && (FORMULA.test(text) || /^[\t\r\n]/.test(text))
  return `"${(isRisky ? `'${text}` : text).replaceAll('"', '""')}"`
}

export const csvLine = (values: readonly (string | number | boolean | null | undefined)[]): string =>
  `${values.map(csvCell).join(',')}\r\n`
