import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { blocks, commands, inlineCommandsOf } from './shell-commands.mjs'

// Every command of the documentation is run by a test that is named here, or named with the reason why none does.

const root = path.resolve(import.meta.dirname, '../..')
const read = (file: string) => readFileSync(path.join(root, file), 'utf8')

/** The test that runs the command, by what it calls; or why no test does. */
const RUN: [RegExp, { by: string; calls: string } | { why: string }][] = [
  [/^npm start$|^AGENT_SERVER_URL=\S+ npm start$/, { by: 'e2e/launcher.spec.ts', calls: "args = ['start']" }],
  [/^npm run platform$/, { by: 'e2e/launcher.spec.ts', calls: "npmStart({}, ['run', 'platform'])" }],
  [/^npx file:\S+tgz( http\S+)?$/, { by: 'scripts/pack/try-package.mjs', calls: "fromNpx('the file', [`file:" }],
  [/^npm install --global \S+tgz$/, { by: 'scripts/pack/try-package.mjs', calls: "'--global'" }],
  [/^pilothouse (--|http)/, { by: 'scripts/launch/command-line.test.mjs', calls: 'readCommandLine' }],
  [/^pilothouse (deploy|logs|runs|open)/, { by: 'lib/server/http-api/command-line.test.ts', calls: 'runCommand' }],
  [/^node scripts\/launch\/pilothouse\.mjs$/, { why: 'is what `pilothouse` starts' }],
  [/^curl /, { by: 'lib/server/http-api/documented-requests.test.ts', calls: "startsWith('curl ')" }],
  [/^npm run image /, { by: 'platform/images/command.test.ts', calls: 'runImageCommand' }],
  [/^npm run backup|^npm run restore/, { by: 'scripts/backup/backup.test.mjs', calls: "run('restore'" }],
  [/^npm run audit:/, { by: 'scripts/backup/verify-audit.test.mjs', calls: 'verify-audit.mjs' }],
  [
    /^PILOTHOUSE_LISTENER_URL=.* npm run listener$/,
    { by: 'platform/compute/listener/listener.test.ts', calls: 'new Listener(' },
  ],
  [
    /^PILOTHOUSE_GATEWAY_KEY=.* npm run gateway$/,
    { by: 'platform/gateway/apart.test.ts', calls: 'startGatewayProgram(' },
  ],
  [/^export LANGSMITH_|^export OTEL_/, { by: 'scripts/checks/try-tracing-clients.mjs', calls: 'tracing-sdk.py' }],
  [/^export (CONTROL_PLANE|ALLOWED|PILOTHOUSE)_\w+=|^[A-Z0-9_]+=\S+$/, { why: 'sets a variable that a schema checks' }],
  [/^npm (test|run verify|run typecheck)$|taskset -c 0,1 npm test$/, { why: 'is, or is part of, what runs this test' }],
  [/^npm run test:kubernetes$/, { why: 'npm test runs the same files' }],
  [
    /^docker (run|exec|cp|compose) |> \.env$/,
    { by: 'scripts/pack/containers/compose.test.ts', calls: "commandsBelow('Docker Compose')" },
  ],
  [/^npm run test:containers$/, { why: 'takes minutes and needs Docker' }],
  [/^npm run test:proxies$/, { why: 'takes minutes and needs nginx, Caddy or Traefik' }],
  [
    /^npm run (dev|format|bench|mutate)\b|^node bench\/|^npx (vitest|playwright|drizzle-kit) |^node scripts\/(complete-lock|pictures)/,
    { why: 'runs tools of development' },
  ],
  [
    /^node scripts\/checks\/|^npm run test:(previous|subpath)|^npm run package$|^node scripts\/pack\/try-package/,
    { why: 'takes minutes and needs a package registry; its results are in the documents that name it' },
  ],
  [
    /docker|^--security-opt |^kubectl |^helm |system(d|ctl)|^cd \/opt\/pilothouse|^node scripts\/launch\/prebuild|^useradd |^install --mode|^runuser /,
    { why: 'needs Docker, a cluster or systemd; scripts/deploy.test.ts checks its files' },
  ],
]

test('finds the commands of the documents', () => {
  expect(commands.length).toBeGreaterThan(30)
  expect(commands).toContain('npm start')
  expect(inlineCommandsOf('`npm run\nimage` and `npm`\n```sh\n`npx x`\n```\n')).toEqual(['npm run image'])
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
  const files = commands.flatMap((command) =>
    [...command.matchAll(/(?<!\/)\b(?:scripts|lib|e2e|deploy)\/\S+/g)].map(String),
  )
  expect(files.filter((file) => !existsSync(path.join(root, file)))).toEqual([])
})
