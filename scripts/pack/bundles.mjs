// Many small files made few: npm takes about a millisecond for each, and unpacks a package four times if it runs it from a file.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { deflateRawSync } from 'node:zlib'
import { build, buildSync } from 'esbuild'
import { PROGRAM, SERVER } from '../build-platform.mjs'
import { INSTALLED, packagesIn, SHARED, sharedPackage } from './packages.mjs'

const outside = [...SHARED, ...INSTALLED].flatMap((name) => (name.includes('*') ? name : [name, `${name}/*`]))
/** What packages use if it is there. */
const OPTIONAL = ['pg-native', 'bufferutil', 'utf-8-validate', 'encoding', 'supports-color']
const PARTS = /** @type {const} */ ({
  splitting: true,
  chunkNames: 'parts/[name]-[hash]',
  minifyWhitespace: true,
  legalComments: 'none',
  metafile: true,
})
const REQUIRE = `import { createRequire as requireFor } from 'node:module'; const require = requireFor(import.meta.url);`

/** What programs import: our own files, and specifiers of packages. */
export async function importsOf(entryPoints) {
  const { metafile } = await build({
    ...PROGRAM,
    entryPoints,
    write: false,
    metafile: true,
    packages: 'external',
  })
  const inputs = Object.values(metafile.inputs).flatMap(({ imports }) => imports)
  return {
    files: Object.keys(metafile.inputs),
    specifiers: inputs.filter(({ external }) => external).map((one) => one.path),
  }
}

/** The platform's programs with their packages. Returns the specifiers of packages that stay outside. */
export async function bundlePlatform(outdir) {
  const { metafile } = await build({
    ...SERVER,
    entryPoints: { platform: 'platform/main.ts', 'agent-server': 'platform/agent-server/main.ts' },
    outdir,
    // What only some settings need, such as the client of Kubernetes, is loaded with them.
    ...PARTS,
    external: [...outside, ...OPTIONAL],
    banner: { js: REQUIRE },
  })
  const imports = Object.values(metafile.outputs).flatMap((one) => one.imports)
  return imports.filter((one) => one.external && !OPTIONAL.includes(one.path)).map((one) => one.path)
}

/** The file of an export for `import`. */
const fileOf = (target) => (typeof target === 'string' ? target : fileOf(target.import ?? target.default))

/**
 * The packages that graphs share with the server: the exports that are among the traced files, and parts for what these have in
 * common.
 * @param {string[]} traced
 */
export async function bundleShared(traced, from, folder) {
  for (const name of new Set(traced.map(sharedPackage))) {
    if (!name) continue
    const place = path.posix.join('node_modules', name)
    const { version, exports } = JSON.parse(readFileSync(path.join(from, place, 'package.json'), 'utf8'))
    const kept = Object.entries(exports)
      .filter(([key]) => !key.includes('*') && !key.endsWith('.json'))
      .map(([key, target]) => [key, fileOf(target)])
      .filter(([, file]) => traced.includes(path.posix.join(place, file)))
    await build({
      ...PROGRAM,
      ...PARTS,
      entryPoints: [...new Set(kept.map(([, file]) => path.join(from, place, file)))],
      packages: 'external',
      outbase: path.join(from, place),
      outdir: path.join(folder, place),
      outExtension: {},
    })
    const own = { './package.json': './package.json', ...Object.fromEntries(kept) }
    const manifest = { name, version, type: 'module', exports: own }
    writeFileSync(path.join(folder, place, 'package.json'), JSON.stringify(manifest))
  }
}

/**
 * Turbopack loads packages of the console under names with a hash, through links, which npm packages cannot hold. A package of
 * one file with that name takes the place of each.
 */
export function bundleLinks(from, folder) {
  const links = path.join(folder, '.next/node_modules')
  for (const alias of packagesIn(links)) {
    const name = alias.slice(0, alias.lastIndexOf('-'))
    buildSync({
      stdin: { contents: `module.exports = require(${JSON.stringify(name)})`, resolveDir: from },
      outfile: path.join(folder, 'node_modules', alias, 'index.js'),
      absWorkingDir: from, // esbuild writes the modules' paths from there
      ...{ bundle: true, platform: 'node', format: 'cjs', target: 'node20.19', logLevel: 'warning' },
      external: OPTIONAL,
    })
  }
  rmSync(links, { recursive: true, force: true })
}

/** Gives Turbopack's runtime a chunk from the file that has them all. */
const LOADER = `const fs = require('node:fs')
const Module = require('node:module')
const path = require('node:path')
const { inflateRawSync } = require('node:zlib')
const file = fs.openSync(path.join(__dirname, 'chunks.bin'))
const loaded = new Map()
module.exports = (name) => {
  if (!loaded.has(name)) {
    const [start, length] = places[path.relative(__dirname, name)]
    const code = Buffer.alloc(length)
    fs.readSync(file, code, 0, length, start)
    const chunk = Object.assign(new Module(name, module), { filename: name, paths: module.paths })
    chunk._compile(inflateRawSync(code).toString(), name)
    loaded.set(name, chunk.exports)
  }
  return loaded.get(name)
}
`

/** Puts the chunks that Turbopack made for the server into one file. Each is still read and compiled when it is needed. */
export function joinChunks(folder) {
  const runtime = path.join(folder, '[turbopack]_runtime.js')
  const parts = readFileSync(runtime, 'utf8').split('require(resolved)')
  if (parts.length !== 3) throw new Error(`${runtime} loads chunks in other ways than the two that are known.`)
  const names = readdirSync(folder).filter((name) => name.endsWith('.js') && name !== path.basename(runtime))
  let start = 0
  const chunks = names.sort().map((name) => {
    const code = deflateRawSync(readFileSync(path.join(folder, name)))
    const place = [start, code.length]
    start += code.length
    return { name, code, place }
  })
  writeFileSync(path.join(folder, 'chunks.bin'), Buffer.concat(chunks.map(({ code }) => code)))
  for (const name of names) rmSync(path.join(folder, name))
  const places = Object.fromEntries(chunks.map(({ name, place }) => [name, place]))
  writeFileSync(path.join(folder, 'chunks.js'), `const places = ${JSON.stringify(places)}\n${LOADER}`)
  writeFileSync(runtime, `const loadChunk = require('./chunks.js')\n${parts.join('loadChunk(resolved)')}`)
}
