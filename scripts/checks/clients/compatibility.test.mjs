import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { readTable, table, withSection } from './compatibility.mjs'

test('a suite replaces its own section and leaves the others', () => {
  const page = 'A\n<!-- begin one -->\nold\n<!-- end one -->\nB\n<!-- begin two -->\nkept\n<!-- end two -->\n'
  const written = withSection(page, 'one', 'new')
  expect(written).toBe(page.replace('\nold\n', '\n\nnew\n\n'))
  expect(withSection(written, 'one', 'new')).toBe(written)
  expect(() => withSection(page, 'three', 'new')).toThrow('no section "three"')
})

test('the page has a section for every suite', () => {
  const page = readFileSync('docs/compatibility.md', 'utf8')
  for (const name of ['clients', 'tracing', 'runtimes', 'a2a', 'repositories'])
    expect(withSection(page, name, 'x')).toContain('x')
})

test('a cell keeps the table intact', () => {
  expect(table(['a', 'b'], [{ a: 'x|y\nz' }])).toBe('| a | b |\n|---|---|\n| x\\|y z |  |')
})

test('a table is read as it was written', () => {
  const rows = [
    { Feature: 'one | two', 'npm server 2.0.0, 2026-11-25': 'works' },
    { Feature: 'three', 'npm server 2.0.0, 2026-11-25': 'fails: a|b' },
  ]
  const text = table(['Feature', 'npm server 2.0.0, 2026-11-25'], rows)
  expect(readTable(`Run today.\n\n${text}\n\n- a note`)).toEqual(rows)
  expect(readTable('Not run yet.')).toEqual([])
})
