// node scripts/release.mjs [--dry-run]: makes a release of the committed sources in .build/release: the npm package, compared
// with one made by another clone, its bill of materials, provenance, notes and checksums; with Docker and a registry that it
// reaches also the images. Without --dry-run it tags the commit. Publishes and pushes nothing.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { cleanEnv, ensureDependencies, root, run } from './bootstrap.mjs'
import { checksums, IMAGES, notesOf, obstacles, provenanceOf, sha256, unreachedIn } from './pack/release-files.mjs'
import { sbomOf } from './pack/sbom.mjs'

const isDryRun = process.argv.includes('--dry-run')
const say = (line) => console.log(`[release] ${line}`)
/** @returns {never} */
function end(line) {
  console.error(`[release] ${line}`)
  process.exit(1)
}
const from = (...parts) => path.join(root, ...parts)
/** What a program prints, or undefined if it is missing or fails. */
const outputOf = (command, ...args) => {
  const { status, stdout } = spawnSync(command, args, { cwd: root, env: cleanEnv(), encoding: 'utf8', maxBuffer: 1e9 })
  return status === 0 ? stdout : undefined
}
const linesOf = (text) => (text ?? '').split('\n').filter(Boolean)

/** Builds an image and prints what Docker says. Resolves to undefined, or to Docker's words if that failed. */
async function failureOfImage(target) {
  const args = ['build', '--target', target, '--tag', `${name}-${target}:${version}`, '.']
  const build = spawn('docker', args, { cwd: root, env: cleanEnv(), stdio: ['ignore', 'inherit', 'pipe'] })
  let words = ''
  build.stderr.setEncoding('utf8').on('data', (text) => {
    words += text
    process.stderr.write(text)
  })
  const [status] = await once(build, 'close')
  return status === 0 ? undefined : words
}

/** Builds the images. Resolves to those that cannot be built here, and why. */
async function imagesLeftOut() {
  if (outputOf('docker', 'version') === undefined) return { images: IMAGES, why: 'Docker does not run here.' }
  for (const [at, target] of IMAGES.entries()) {
    const failure = await failureOfImage(target)
    if (failure === undefined) continue
    const unreached = unreachedIn(failure)
    if (!unreached) end(`The image ${target} could not be built. See above.`)
    return { images: IMAGES.slice(at), why: `Docker reaches no registry: ${unreached}` }
  }
}

const { name, version } = JSON.parse(readFileSync(from('package.json'), 'utf8'))
const commit = outputOf('git', 'rev-parse', 'HEAD')?.trim()
if (!commit) end('This is no git repository. A release is made from a commit.')
const changelog = readFileSync(from('CHANGELOG.md'), 'utf8')
const changed = linesOf(outputOf('git', 'status', '--porcelain')).map((line) => line.slice(3))
const wrong = obstacles({ version, changelog, tags: linesOf(outputOf('git', 'tag')), changed })
for (const one of wrong) say(`${isDryRun ? 'would be refused: ' : ''}${one}`)
if (wrong.length > 0 && !isDryRun) process.exit(1)
if (changed.length > 0) end('Commit first: what is released must be what is in the repository.')

ensureDependencies()
const file = `${name}-${version}.tgz`
/** The package, made by the sources in a folder. */
const packIn = (folder) => {
  if (!run(process.execPath, ['scripts/pack/pack.mjs'], { cwd: folder }))
    end('The package could not be made. See above.')
  return readFileSync(path.join(folder, '.build', file))
}
const bytes = packIn(root)
// By another clone of the commit in another folder, with packages of its own.
const INSTALL = 'import(process.argv[1]).then((it) => it.ensureDependencies())'
const clone = mkdtempSync(path.join(os.tmpdir(), 'pilothouse-release-'))
process.on('exit', () => rmSync(clone, { recursive: true, force: true }))
const isReady =
  run('git', ['clone', '--quiet', root, clone]) &&
  run('git', ['-C', clone, 'checkout', '--quiet', '--detach', commit]) &&
  run(process.execPath, ['-e', INSTALL, path.join(clone, 'scripts/bootstrap.mjs')])
if (!isReady) end('The clone could not be made. See above.')
const again = packIn(clone)
if (sha256(again) !== sha256(bytes)) {
  writeFileSync(from('.build', `another-${file}`), again)
  end(`Two builds of ${commit} differ: .build/${file} and .build/another-${file}.`)
}

const folder = from('.build/release')
rmSync(folder, { recursive: true, force: true })
mkdirSync(folder, { recursive: true })
copyFileSync(from('.build', file), path.join(folder, file))
const at = new Date().toISOString()
const lock = readFileSync(from('package-lock.json'))
const sbom = sbomOf(JSON.parse(`${lock}`), { name, version, at })
const provenance = provenanceOf({ name: file, bytes, commit, node: process.version, lock, at })
const files = [
  { name: file, bytes },
  { name: `${name}-${version}.cdx.json`, bytes: Buffer.from(`${JSON.stringify(sbom, null, 2)}\n`) },
  { name: `${name}-${version}.provenance.json`, bytes: Buffer.from(`${JSON.stringify(provenance, null, 2)}\n`) },
  { name: 'NOTES.md', bytes: Buffer.from(`${notesOf(changelog, version) || notesOf(changelog, 'Unreleased')}\n`) },
]
for (const one of files) writeFileSync(path.join(folder, one.name), one.bytes)
writeFileSync(path.join(folder, 'SHA256SUMS'), checksums(files))

const left = await imagesLeftOut()
say(
  `.build/release: ${files.map((one) => `${one.name} (${(one.bytes.length / 1e6).toFixed(1)} MB)`).join(', ')}, SHA256SUMS`,
)
say(`sha256 of ${file}: ${sha256(bytes)}, the same in a build of another clone`)
if (left) say(`not made: ${left.images.map((one) => `${name}-${one}:${version}`).join(', ')}. ${left.why}`)
if (isDryRun) say('dry run: no tag was made.')
else if (run('git', ['tag', '--annotate', `v${version}`, '--message', `${name} ${version}`]))
  say(`tagged v${version}. To publish: git push origin v${version}, then upload the files of .build/release.`)
else end('The tag could not be made. See above.')
