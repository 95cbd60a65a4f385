// The commands that the documentation names, for the tests that run them.
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { root } from '../bootstrap.mjs'

const BLOCK = /^( *)```sh\n([\s\S]*?)^ *```/gm
/** Code within a line that starts as a command of ours does; other code there is names and values. */
const INLINE = /`((?:npm (?:run|start|test)|npx|node (?:scripts|bench)\/|pilothouse (?:\w|-))[^`]*)`/g

export const DOCUMENTS = [
  ...['README.md', 'CONTRIBUTING.md', 'SECURITY.md'],
  ...readdirSync(path.join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md') && !name.startsWith('decisions'))
    .map((name) => `docs/${name}`),
]
const read = (file) => readFileSync(path.join(root, file), 'utf8')

export const blocks = DOCUMENTS.flatMap((file) =>
  [...read(file).matchAll(BLOCK)].map(([, , text]) => ({ file, text: text ?? '' })),
)

/** The commands of a block, each on one line, without comments and indentation. */
export const commandsOf = (text) =>
  text
    .replace(/\\\n\s*/g, ' ')
    .replace(/('[^']*')/g, (quoted) => quoted.replace(/\n\s*/g, ' '))
    .split('\n')
    .map((line) => line.replace(/\s+# .*$/, '').trim())
    .filter(Boolean)

/** Commands within lines of text. */
export const inlineCommandsOf = (text) =>
  [...text.replace(/^ *```[\s\S]*?^ *```/gm, '').matchAll(INLINE)].map((match) =>
    (match[1] ?? '').replace(/\s+/g, ' ').trim(),
  )

export const commands = [
  ...new Set([
    ...blocks.flatMap(({ text }) => commandsOf(text)),
    ...DOCUMENTS.flatMap((file) => inlineCommandsOf(read(file))),
  ]),
]
