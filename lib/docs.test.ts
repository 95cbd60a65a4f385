import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'

const root = path.resolve(import.meta.dirname, '..')
const read = (file: string) => readFileSync(path.join(root, file), 'utf8')
const markdownIn = (folder: string) =>
  readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.md'))
    .map((file) => path.posix.join(folder, file))
const DOCS = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', ...markdownIn('docs')]

/** Pages that are made when the documentation is built, so they are no files here. */
const GENERATED = [...read('scripts/docs/pages.mjs').matchAll(/^ {2}'([\w/-]+\.md)': \w+Page,$/gm)].map(
  (match) => `docs/${match[1]}`,
)
const isThere = (name: string) => existsSync(path.join(root, name)) || GENERATED.includes(path.normalize(name))

const TOP = /^(app|bench|components|docs|drizzle|e2e|lib|platform|public|scripts|\.ci|\.github)(\/|$)/

/** Paths of ours that a text names in backticks. */
const namedPaths = (text: string) =>
  [...text.replace(/```[\s\S]*?```/g, '').matchAll(/`([^`\s]+)`/g)]
    .map((match) => (match[1] as string).replace(/\/$/, '')) // the group always takes part
    .filter((name) => TOP.test(name) && !name.includes('…'))
const links = (text: string) =>
  [...text.matchAll(/(?:\]\(|(?:src|srcset)=")(?!https?:|#)([^)#"\s]+)/g)].map((match) => match[1] as string)

describe.each(DOCS)('%s', (file) => {
  const text = read(file)
  test('names only paths that exist', () => {
    expect(namedPaths(text).filter((name) => !existsSync(path.join(root, name)))).toEqual([])
  })
  test('links only to files that exist', () => {
    expect(links(text).filter((link) => !isThere(path.join(path.dirname(file), link)))).toEqual([])
  })
})

test('the README links to no page that is only on the site', () => {
  expect(links(read('README.md')).filter((link) => !existsSync(path.join(root, link)))).toEqual([])
})

test('the guess test has twenty tasks, each with one file', () => {
  const table = read('docs/architecture.md').split('## Guess test')[1] ?? ''
  const files = [...table.matchAll(/^\| (?!Task|---).*\| `([^`]+)` \|$/gm)].map((match) => match[1] as string)
  expect(files).toHaveLength(20)
  expect(files.filter((name) => !existsSync(path.join(root, name)))).toEqual([])
})

test('decisions are numbered without gaps, dated, and listed in the index', () => {
  const folder = 'docs/decisions'
  const files = readdirSync(path.join(root, folder))
    .filter((file) => file !== 'README.md')
    .sort()
  expect(files.map((file) => file.slice(0, 5))).toEqual(files.map((_, at) => `${String(at + 1).padStart(4, '0')}-`))
  const index = read(`${folder}/README.md`)
  for (const file of files) {
    const text = read(`${folder}/${file}`)
    expect(text, file).toMatch(/^# \d+\. .+\n\nDate: \d{4}-\d\d-\d\d · Status: (accepted|superseded by \[.+)\n/)
    expect(index, file).toContain(`](${file})`)
  }
})

describe('environment variables', () => {
  /** The roll-out and the launcher set these for the programs they start; images, npm and the shell set the others. */
  const NOT_SETTINGS =
    /^(PILOTHOUSE_AGENT_\w+|PILOTHOUSE_SECRETS_(?:FD|URL)|PILOTHOUSE_NEIGHBOURS|PILOTHOUSE_PROCESS|PILOTHOUSE_CONSOLE_URL|PILOTHOUSE_IN_CONTAINER|PILOTHOUSE_PACK|PILOTHOUSE_BASE_PATH|INIT_CWD|PATH|NODE_ENV|TEST_DATABASE_URL)$/
  const schemaKeys = ['lib/server/process/env.ts', 'platform/kernel/env.ts'].flatMap((file) =>
    [...read(file).matchAll(/^\s+([A-Z][A-Z0-9_]+): /gm)].map((match) => match[1] as string),
  )
  const scripts = ['scripts', 'scripts/backup'].flatMap((folder) =>
    readdirSync(path.join(root, folder))
      .filter((file) => file.endsWith('.mjs') && !file.endsWith('.test.mjs'))
      .map((file) => `${folder}/${file}`),
  )
  const scriptKeys = [...scripts, 'playwright.config.ts', 'next.config.mjs'].flatMap((file) =>
    [...read(file).matchAll(/process\.env\.([A-Z][A-Z0-9_]+)/g)].map((match) => match[1] as string),
  )
  const known = new Set([...schemaKeys, ...scriptKeys].filter((name) => !NOT_SETTINGS.test(name)))

  test('finds the variables that the programs read', () => {
    expect([...known]).toEqual(expect.arrayContaining(['PORT', 'HOST', 'DATABASE_URL', 'PILOTHOUSE_DRAIN_SECONDS']))
  })
  test('.env.example lists exactly these', () => {
    const listed = [...read('.env.example').matchAll(/^# ([A-Z][A-Z0-9_]+)=/gm)].map((match) => match[1] as string)
    expect(listed.sort()).toEqual([...known].sort())
  })
})
