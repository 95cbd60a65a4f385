// `npm run package`: makes the npm package of the `pilothouse` command in .build/package and packs it. Publishes nothing.
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { cleanEnv, ensureDependencies, ensureDocs, root, tool } from '../bootstrap.mjs'
import { bundleLinks, bundlePlatform, bundleShared, importsOf, joinChunks } from './bundles.mjs'
import { licencesOf } from './licences.mjs'
import { actionKeyOf, copyFiles, copyPackages, dropPackages, fixBuild, INSTALLED, PROGRAMS } from './packages.mjs'

const folder = path.join(root, '.build/package')
// Laid out like a clone. At the top, npm would look into its packages.
const app = path.join(folder, 'app')
const from = (...parts) => path.join(root, ...parts)
const to = (...parts) => path.join(app, ...parts)
const readJson = (file) => JSON.parse(readFileSync(file, 'utf8'))
const writeJson = (file, content) => writeFileSync(file, `${JSON.stringify(content, null, 2)}\n`)

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
if (!ensureDocs()) process.exit(1)

rmSync(folder, { recursive: true, force: true })
mkdirSync(app, { recursive: true })
copyFiles(from('.next/standalone'), app)
copyFiles(from('.next/static'), to('.next/static'))
if (commit) fixBuild(app, commit, root)
dropPackages(app, readJson(from('.next/next-server.js.nft.json')).files)
bundleLinks(root, app)
for (const place of ['server/chunks', 'server/chunks/ssr']) joinChunks(to('.next', place))
copyFiles(from('public'), to('public'))
cpSync(from('.build/docs'), to('.build/docs'), { recursive: true })
copyFiles(from('drizzle'), to('drizzle'))
cpSync(from('platform/samples'), to('platform/samples'), { recursive: true })

const launcher = await importsOf(PROGRAMS)
for (const file of launcher.files) cpSync(from(file), to(file))

const platform = await bundlePlatform(to('.build'))
const samples = readdirSync(from('platform/samples'), { recursive: true, encoding: 'utf8' })
const graphs = samples.filter((file) => file.endsWith('.mjs')).map((file) => `platform/samples/${file}`)
const { specifiers } = await importsOf(graphs)
await bundleShared(await copyPackages([...launcher.specifiers, ...platform, ...specifiers], root, app), root, app)
// Looked up by path, not imported.
for (const file of ['package.json', 'swagger-ui-bundle.js', 'swagger-ui.css'])
  cpSync(from('node_modules/swagger-ui-dist', file), to('node_modules/swagger-ui-dist', file))

const { name, version, description, license, type, engines, bin, dependencies } = readJson(from('package.json'))
const installed = Object.fromEntries(INSTALLED.map((one) => [one, dependencies[one]]))
writeJson(to('package.json'), { name, version, type, private: true })
writeJson(path.join(folder, 'package.json'), {
  ...{ name, version, description, license, type, engines },
  bin: Object.fromEntries(Object.entries(bin).map(([command, file]) => [command, `app/${file}`])),
  files: ['app', 'CHANGELOG.md', 'THIRD-PARTY-LICENCES.txt'],
  dependencies: installed,
})
for (const file of ['LICENSE', 'README.md', 'CHANGELOG.md']) cpSync(from(file), path.join(folder, file))
writeFileSync(path.join(folder, 'THIRD-PARTY-LICENCES.txt'), licencesOf(root))
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
