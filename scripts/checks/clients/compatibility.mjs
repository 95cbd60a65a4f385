// docs/compatibility.md has a section per suite, which the suite writes when it is run with --write.
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { root } from '../../bootstrap.mjs'

const FILE = path.join(root, 'docs/compatibility.md')
const mark = (end, name) => `<!-- ${end} ${name} -->`

/** The page with the section replaced. Throws if the page has no such section. */
export function withSection(text, name, body) {
  const [from, to] = [mark('begin', name), mark('end', name)]
  const [start, end] = [text.indexOf(from), text.indexOf(to)]
  if (start === -1 || end < start) throw new Error(`docs/compatibility.md has no section "${name}".`)
  return `${text.slice(0, start + from.length)}\n\n${body.trim()}\n\n${text.slice(end)}`
}

/** Writes what a suite found today. */
export function writeSection(name, body) {
  const date = new Date().toISOString().slice(0, 10)
  writeFileSync(FILE, withSection(readFileSync(FILE, 'utf8'), name, `Run on ${date}.\n\n${body.trim()}`))
}

/** What the section has now. */
export function readSection(name) {
  const text = readFileSync(FILE, 'utf8')
  return text.slice(text.indexOf(mark('begin', name)), text.indexOf(mark('end', name)))
}

/** The rows of the first Markdown table of a text, by column; none without a table. */
export function readTable(text) {
  const lines = text.split('\n').filter((line) => line.startsWith('|'))
  const cellsOf = (line) =>
    line
      .slice(1, -1)
      .split(/(?<!\\)\|/)
      .map((cell) => cell.trim().replaceAll('\\|', '|'))
  const columns = cellsOf(lines[0] ?? '||')
  return lines
    .slice(2)
    .map((line) => Object.fromEntries(cellsOf(line).map((cell, index) => [columns[index] ?? '', cell])))
}

/** A Markdown table; a row's missing cell is empty. */
export function table(columns, rows) {
  const cell = (value) =>
    String(value ?? '')
      .replaceAll('|', '\\|')
      .replace(/\s+/g, ' ')
  const line = (cells) => `| ${cells.map(cell).join(' | ')} |`
  return [
    line(columns),
    `|${'---|'.repeat(columns.length)}`,
    ...rows.map((row) => line(columns.map((one) => row[one]))),
  ].join('\n')
}
