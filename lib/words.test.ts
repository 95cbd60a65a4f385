import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'

// Keeps odd English out of the interface. Reads source text, because strings reach the screen from every layer.

const root = path.resolve(import.meta.dirname, '..')

/** Archaic or literal-translation English that never belongs in the interface. */
const BANNED = [
  /\banew\b/,
  /\bwhoever\b/i,
  /\bbesides\b/i,
  /\ball the same\b/i,
  /\bin so many words\b/i,
  /\bvouched\b/i,
]

/** Wordings that were replaced, so that they do not come back. */
const REPLACED = [
  'You are not signed in, or your session has ended',
  'is not right.',
  'the one that serves',
  'None was started here yet',
  'Do nothing',
  'Keep the old one',
  'or delete to go on',
  'It is rolled out again',
  'Counts from the next build',
  'what was meant before it is sent',
  'Waits since',
  'Waiting for a person',
  'did not say: it does not answer',
  'Stateless runs of others',
  'It is so already',
  'its time of storage',
  'It fires no more',
  'do not ask alike',
  'marked in red',
  "', needed",
  'yes or no',
  'Do not set',
  'The list has moved',
  'is concluded (≈)',
  'Run again on this thread',
  'what it does, it does',
  'Make the ',
  'Make an item',
  'as the node that the server finds',
  'looked up afterwards',
  'tried again by itself',
  'Somebody else has changed',
  'Somebody has changed',
  'Whether the change was made is not known',
  'Its state is not known',
  'There is no such workspace',
  'There is no such price',
  'It was gone already',
  'goes on behind its end',
  'You may not see',
  'Nobody is there to',
  'something else than JSON',
  'something else than a stream',
  'What had come until then',
  'The caller left',
  'What is old could not be removed',
  'It answered with a web page',
  'on its way any more',
  'cannot hold a',
  'exists already',
  'in use already',
  'ended by itself',
  'goes on serving',
  'answered with',
  'did not answer',
  'another one than',
  'written back. Take it out',
  'taken away',
]
/** Replaced wordings that are too short to search for inside other text. */
const REPLACED_WHOLE = ['Going on', 'Well', 'Asks', 'not told', 'Coming']

const files = ['app', 'components', 'lib', 'platform'].flatMap((folder) =>
  readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
    .map((name) => path.join(folder, name))
    .filter((name) => /\.tsx?$/.test(name) && !/\.test\.tsx?$/.test(name)),
)

/** Source without comments. Good enough for our formatter's output, where a comment follows white space or a bracket. */
const withoutComments = (text: string): string =>
  text.replace(/(^|[\s{(,;])\/\*[\s\S]*?\*\//g, '$1').replace(/(^|\s)\/\/.*$/gm, '$1')

function found(isBad: (text: string) => readonly string[]): string[] {
  return files.flatMap((file) => {
    const text = withoutComments(readFileSync(path.join(root, file), 'utf8')).replace(/\s+/g, ' ')
    return isBad(text).map((words) => `${file}: ${words}`)
  })
}

test('no string of the interface has a banned word', () => {
  expect(found((text) => BANNED.flatMap((word) => word.exec(text)?.[0] ?? []))).toEqual([])
})

test('no comment, test name or program has one either', () => {
  const all = ['app', 'bench', 'components', 'e2e', 'lib', 'platform', 'scripts'].flatMap((folder) =>
    readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
      .map((name) => path.join(folder, name))
      .filter((name) => /\.(tsx?|mjs)$/.test(name) && !/node_modules|^lib\/words\.test\.ts$/.test(name)),
  )
  const wrong = all.filter((file) => BANNED.some((word) => word.test(readFileSync(path.join(root, file), 'utf8'))))
  expect(wrong).toEqual([])
})

test('no document has one either', () => {
  const documents = readdirSync(path.join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => path.join('docs', name))
  const all = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md', ...documents]
  const wrong = all.filter((file) => BANNED.some((word) => word.test(readFileSync(path.join(root, file), 'utf8'))))
  expect(wrong).toEqual([])
})

test('no replaced wording has come back', () => {
  const whole = REPLACED_WHOLE.map((words) => ({ words, pattern: new RegExp(`['">\`]\\s*${words}\\s*['"<\`]`) }))
  expect(
    found((text) => [
      ...REPLACED.filter((words) => text.includes(words)),
      ...whole.filter(({ pattern }) => pattern.test(text)).map(({ words }) => words),
    ]),
  ).toEqual([])
})
