import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { controlPlane } from '@/lib/contracts/control-plane'
import { controlPlaneSchemas } from '@/lib/contracts/control-plane.schemas'
import { deploymentRoutes } from '@/lib/server/http-api/deployment-routes'
import { workspaceRoutes } from '@/lib/server/http-api/workspace-routes'

// Every command of the documentation is run by a test that is named here, or named with the reason why none does.

const root = path.resolve(import.meta.dirname, '../..')
const read = (file: string) => readFileSync(path.join(root, file), 'utf8')
const DOCUMENTS = [
  ...['README.md', 'CONTRIBUTING.md', 'SECURITY.md'],
  ...readdirSync(path.join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md') && !name.startsWith('decisions'))
    .map((name) => `docs/${name}`),
]
const BLOCK = /^( *)```sh\n([\s\S]*?)^ *```/gm
const blocks = DOCUMENTS.flatMap((file) =>
  [...read(file).matchAll(BLOCK)].map(([, , text]) => ({ file, text: text as string })),
)

/** The commands of a block, each on one line, without comments and indentation. */
const commandsOf = (text: string) =>
  text
    .replace(/\\\n\s*/g, ' ')
    .replace(/('[^']*')/g, (quoted) => quoted.replace(/\n\s*/g, ' '))
    .split('\n')
    .map((line) => line.replace(/\s+# .*$/, '').trim())
    .filter(Boolean)
const commands = [...new Set(blocks.flatMap(({ text }) => commandsOf(text)))]

/** The test that runs the command, by what it calls; or why no test does. */
const RUN: [RegExp, { by: string; calls: string } | { why: string }][] = [
  [/^npm start$|^AGENT_SERVER_URL=\S+ npm start$/, { by: 'e2e/launcher.spec.ts', calls: "spawn('npm', ['start']" }],
  [/^npx file:\S+tgz( http\S+)?$/, { by: 'scripts/pack/try-package.mjs', calls: "'npx', ['--yes', `file:" }],
  [/^pilothouse (deploy|logs|runs|open)/, { by: 'lib/server/http-api/command-line.test.ts', calls: 'runCommand' }],
  [/^npm run backup|^npm run restore/, { by: 'scripts/backup/backup.test.mjs', calls: "run('restore'" }],
  [/^npm run audit:/, { by: 'scripts/backup/verify-audit.test.mjs', calls: 'verify-audit.mjs' }],
  [
    /^PILOTHOUSE_LISTENER_URL=.* npm run listener$/,
    { by: 'platform/compute/listener/listener.test.ts', calls: 'new Listener(' },
  ],
  [/^export LANGSMITH_|^export OTEL_/, { by: 'scripts/checks/try-tracing-clients.mjs', calls: 'tracing-sdk.py' }],
  [/^export (CONTROL_PLANE|ALLOWED|PILOTHOUSE)_\w+=|^[A-Z_]+=\S+$/, { why: 'sets a variable that a schema checks' }],
  [/^npm (test|run verify)$|taskset -c 0,1 npm test$/, { why: 'is what runs this test' }],
  [/^npm run (dev|format|bench|mutate)|^node bench\/|^npx (vitest|playwright) /, { why: 'runs tools of development' }],
  [/^curl /, { why: 'is checked below against the operations' }],
  [
    /docker|^kubectl |^helm |systemd|^cd \/opt\/pilothouse/,
    { why: 'needs Docker, a cluster or systemd; scripts/deploy.test.ts checks its files' },
  ],
]

test('finds the commands of the documents', () => {
  expect(commands.length).toBeGreaterThan(30)
  expect(commands).toContain('npm start')
})

test('every block is valid shell', () => {
  const wrong = blocks.filter(({ text }) => spawnSync('sh', ['-n'], { input: text }).status !== 0)
  expect(wrong).toEqual([])
})

test('every command has a test that runs it, or a reason', () => {
  expect(commands.filter((command) => !RUN.some(([pattern]) => pattern.test(command)))).toEqual([])
  expect(RUN.filter(([pattern]) => !commands.some((command) => pattern.test(command)))).toEqual([])
  const tests = RUN.flatMap(([, how]) => ('by' in how ? [how] : []))
  expect(tests.filter(({ by, calls }) => !existsSync(path.join(root, by)) || !read(by).includes(calls))).toEqual([])
})

test('every npm script and program that a command names is there', () => {
  const { scripts } = JSON.parse(read('package.json'))
  const named = commands.flatMap((command) => [...command.matchAll(/npm run ([\w:]+)/g)].map((match) => match[1]))
  expect(named.filter((name) => !((name as string) in scripts))).toEqual([])
  const files = commands.flatMap((command) => [...command.matchAll(/(?:scripts|lib|e2e|deploy)\/\S+/g)].map(String))
  expect(files.filter((file) => !existsSync(path.join(root, file)))).toEqual([])
})

describe('requests', () => {
  const CURL = /"\$\w*(?:URL|PLATFORM)((?:\/[^"?\s]*)?)(?:\?[^"]*)?"/
  const requests = commands
    .filter((command) => command.startsWith('curl '))
    .map((command) => {
      const body = /-d '([^']*)'/.exec(command)?.[1]
      const method = / -X (\w+)/.exec(command)?.[1] ?? (body ? 'POST' : 'GET')
      return { command, method, address: CURL.exec(command)?.[1] ?? '', body }
    })
  const api = [...deploymentRoutes, ...workspaceRoutes].map((one) => ({ ...one, path: `/api/v1${one.path}` }))
  const operations = Object.values(controlPlane).map((one) => {
    const row = controlPlaneSchemas[one.id as keyof typeof controlPlaneSchemas]
    return { ...one, body: 'body' in row ? row.body : undefined }
  })
  const fits = (pattern: string, address: string) =>
    new RegExp(`^${pattern.replace(/\{\w+\}/g, '[^/]+')}$`).test(address)

  test('there are some', () => expect(requests.length).toBeGreaterThan(3))
  test.each(requests)('$method $address is an operation, and its body is valid', ({ method, address, body }) => {
    const found = [...operations, ...api].find((one) => one.method === method && fits(one.path, address))
    expect(found, 'no such operation').toBeDefined()
    if (body) found?.body?.parse(JSON.parse(body))
  })
})
