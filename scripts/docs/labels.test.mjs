import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'

// In the pages that people follow, bold is what the console shows: a page, a button, a field. Bold that ends a sentence is not.

const root = path.resolve(import.meta.dirname, '../..')
const read = (file) => readFileSync(path.join(root, file), 'utf8')
const filesIn = (folder) =>
  readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' }).map((file) => path.join(folder, file))

const documents = filesIn('docs').filter((file) =>
  /^docs\/(start|use|recipes|build)\/.+\.md$|^docs\/operate\.md$/.test(file),
)
const sources = ['app', 'components', 'lib']
  .flatMap(filesIn)
  .filter((file) => /\.tsx?$/.test(file) && !/\.test\.tsx?$/.test(file))
  .map(read)
  .join('\n')

/** The labels of a text; **Settings → Retention** has two. */
const labelsOf = (text) =>
  [...text.replace(/^```[\s\S]*?^ *```$/gm, '').matchAll(/\*\*([^*]+)\*\*/g)]
    .map((match) => match[1].replace(/\s+/g, ' '))
    .filter((label) => !/[.?:]$/.test(label))
    .flatMap((label) => label.split(' → '))

/** As a string, or as text between tags. An ellipsis and a key behind it are not part of the name. */
const isShown = (label) => {
  const name = label.replace(/…$/, '').replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
  return new RegExp(`['"\`>\\n]\\s*${name}(?:…|\\s*['"\`<{\\n])`).test(sources)
}

test('finds the labels', () => {
  expect(labelsOf('a **Settings →\nRetention**, **Not a label.** and `**code**`')).toEqual([
    'Settings',
    'Retention',
    'code',
  ])
  expect(isShown('Roll back…')).toBe(true)
  expect(isShown('No such button')).toBe(false)
})

test('every page, button and field that the documentation names is in the console', () => {
  const labels = documents.flatMap((file) => labelsOf(read(file)).map((label) => ({ file, label })))
  expect(labels.length).toBeGreaterThan(80)
  const missing = labels.filter(({ label }) => !isShown(label))
  expect(missing.map(({ file, label }) => `${file}: ${label}`)).toEqual([])
})
