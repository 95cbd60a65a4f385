import { expect, test } from 'vitest'
import { csvCell, csvLine } from './csv'

test.each([
  ['=HYPERLINK("https://evil.example","x")', `"'=HYPERLINK(""https://evil.example"",""x"")"`],
  ['+1', `"'+1"`],
  ['-1', `"'-1"`],
  ['@SUM(A1)', `"'@SUM(A1)"`],
  ['\t=1', `"'\t=1"`],
  ['\r=1', `"'\r=1"`],
  ['\n=1', `"'\n=1"`],
  ['  =1', `"'  =1"`],
  ['＝1', `"'＝1"`],
  ['|calc', `"'|calc"`],
])('%j is text in a spreadsheet, not a formula', (value, cell) => expect(csvCell(value)).toBe(cell))

test.each<[string | number | boolean | null | undefined, string]>([
  ['plain', '"plain"'],
  ['a "b", c\nd', '"a ""b"", c\nd"'],
  ['https://x.example/a=b', '"https://x.example/a=b"'],
  [-3, '"-3"'],
  [true, '"true"'],
  [null, '""'],
  [undefined, '""'],
  ['', '""'],
])('%j is unchanged', (value, cell) => expect(csvCell(value)).toBe(cell))

test('a value cannot start another cell or line', () => {
  expect(csvLine(['a","=1', 'b\r\n=1'])).toBe('"a"",""=1","b\r\n=1"\r\n')
})
