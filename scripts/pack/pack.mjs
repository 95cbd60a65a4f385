// `npm run package`: makes the npm package of the `pilothouse` command in .build/package and packs it. Publishes nothing.
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { build } from 'esbuild'
import { cleanEnv, ensureDependencies, ensureDocs, root, run, tool } from '../bootstrap.mjs'
import {
  actionKeyOf,
  copyFiles,
  copyPackages,
  fixKeys,
  INSTALLED,
  PROGRAMS,
  replaceLinks,
  sealPackages,
} from './packages.mjs'

const folder = path.join(root, '.build/package')
const from = (...parts) => path.join(root, ...parts)
const to = (...parts) => path.join(folder, ...parts)
const readJson = (file) => JSON.parse(readFileSync(file, 'utf8'))

/** What the programs import: our own files, and specifiers of packages. */
async function importsOf(entryPoints) {
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints,
    outdir: 'out',
    bundle: true,
    write: false,
    metafile: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
  })
  const inputs = Object.values(metafile.inputs).flatMap(({ imports }) => imports)
  return {
    files: Object.keys(metafile.inputs),
    specifiers: inputs.filter(({ external }) => external).map((one) => one.path),
  }
}

/** What git says, empty outside of a repository. */
const git = (...args) => spawnSync('git', args, { cwd: root, encoding: 'utf8' }).stdout?.trim() ?? ''

const began = Date.now()
ensureDependencies()
// Not the build of `npm start`, which would warn about it.
rmSync(from('.next'), { recursive: true, force: true })
const commit = git('status', '--porcelain') === '' ? git('rev-parse', 'HEAD') : ''
const seed = commit || `${began}`
const env = cleanEnv({
  ...{ NODE_ENV: 'production', PILOTHOUSE_PACK: seed, NEXT_SERVER_ACTIONS_ENCRYPTION_KEY: actionKeyOf(seed) },
})
if (!tool('next/dist/bin/next', ['build'], { env })) process.exit(1)
if (!run(process.execPath, ['scripts/build-platform.mjs']) || !ensureDocs()) process.exit(1)

rmSync(folder, { recursive: true, force: true })
mkdirSync(folder, { recursive: true })
copyFiles(from('.next/standalone'), folder)
copyFiles(from('.next/static'), to('.next/static'))
if (commit) fixKeys(folder, commit)
copyFiles(from('public'), to('public'))
cpSync(from('.build/docs'), to('.build/docs'), { recursive: true })
for (const file of ['platform.mjs', 'agent-server.mjs']) cpSync(from('.build', file), to('.build', file))
for (const part of ['drizzle', 'platform/samples', 'LICENSE', 'README.md', 'CHANGELOG.md'])
  cpSync(from(part), to(part), { recursive: true })

const launcher = await importsOf(PROGRAMS)
for (const file of launcher.files) cpSync(from(file), to(file))

const samples = readdirSync(from('platform/samples'), { recursive: true, encoding: 'utf8' })
const graphs = samples.filter((file) => file.endsWith('.mjs')).map((file) => `platform/samples/${file}`)
const others = await importsOf(['platform/main.ts', 'platform/agent-server/main.ts', ...graphs])
await copyPackages([...launcher.specifiers, ...others.specifiers], root, folder)
// Looked up by path, not imported.
copyFiles(from('node_modules/swagger-ui-dist'), to('node_modules/swagger-ui-dist'))
replaceLinks(folder)

const own = readJson(from('package.json'))
const bundled = sealPackages(folder)
const installed = Object.fromEntries(INSTALLED.map((name) => [name, own.dependencies[name]]))
const { name, version, description, license, type, engines, bin } = own
writeFileSync(
  to('package.json'),
  `${JSON.stringify(
    {
      ...{ name, version, description, license, type, engines, bin },
      files: ['.build', '.next', 'drizzle', 'platform', 'public', 'scripts', 'server.js', 'CHANGELOG.md'],
      dependencies: { ...bundled, ...installed },
      bundleDependencies: Object.keys(bundled),
    },
    null,
    2,
  )}\n`,
)
// The build here is not the one that `npm start` makes.
rmSync(from('.next'), { recursive: true, force: true })

const npm = ['pack', '--json', '--ignore-scripts', '--pack-destination', from('.build')]
const { stdout, stderr, status } = spawnSync('npm', npm, {
  cwd: folder,
  env: cleanEnv(),
  encoding: 'utf8',
  maxBuffer: 1e8,
})
if (status !== 0) {
  console.error(`[pack] npm pack failed. ${stderr.trim()}`)
  process.exit(1)
}
const [{ filename, size, unpackedSize, entryCount }] = JSON.parse(stdout)
const mb = (bytes) => `${(bytes / 1e6).toFixed(1)} MB`
console.log(
  `[pack] .build/${filename}: ${mb(size)}, unpacked ${mb(unpackedSize)} in ${entryCount} files, made in ${((Date.now() - began) / 1000).toFixed(0)} s`,
)
