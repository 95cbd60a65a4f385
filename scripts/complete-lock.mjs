// Adds entries (version, os, cpu, libc; no integrity) for optional packages of other platforms, which `npm install`
// omits if the registry did not serve them and without which `npm ci` rejects the lock file. Run it after every change
// of the lock file.
import { readFileSync, writeFileSync } from 'node:fs'

const OS = ['android', 'darwin', 'linux', 'win32', 'freebsd', 'openbsd', 'netbsd', 'sunos', 'aix', 'openharmony']
const CPU = ['arm64', 'x64', 'arm', 'ia32', 'ppc64', 's390x', 'riscv64', 'loong64', 'mips64el', 'wasm32']
const file = 'package-lock.json'
const lock = JSON.parse(readFileSync(file, 'utf8'))

/** Resolves a package like Node: in the dependant's node_modules, then in each parent's. */
function isLocked(name, dependant) {
  for (let at = dependant; ; at = at.slice(0, Math.max(0, at.lastIndexOf('/node_modules/')))) {
    if (lock.packages[`${at ? `${at}/` : ''}node_modules/${name}`]) return true
    if (!at) return false
  }
}

const added = {}
for (const [dependant, entry] of Object.entries(lock.packages))
  for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
    if (isLocked(name, dependant)) continue
    if (!/^\d+\.\d+\.\d+/.test(version)) {
      console.log(`skipped, no exact version: ${name} ${version} (${dependant})`)
      continue
    }
    const parts = name.split(/[-/]/)
    const os = parts.find((part) => OS.includes(part))
    const cpu =
      parts.find((part) => CPU.includes(part)) ?? (parts.some((part) => part.startsWith('arm')) ? 'arm' : undefined)
    const libc = name.includes('musl') ? 'musl' : os === 'linux' && name.includes('gnu') ? 'glibc' : undefined
    const top = `node_modules/${name}`
    const key = added[top] && added[top].version !== version ? `${dependant}/${top}` : top
    added[key] = {
      version,
      optional: true,
      ...(entry.dev && { dev: true }),
      ...(os && { os: [os] }),
      ...(cpu && { cpu: [cpu] }),
      ...(libc && { libc: [libc] }),
    }
  }
const sorted = Object.entries({ ...lock.packages, ...added }).sort(([a], [b]) =>
  a === '' ? -1 : b === '' ? 1 : a.localeCompare(b, 'en'),
)
writeFileSync(file, `${JSON.stringify({ ...lock, packages: Object.fromEntries(sorted) }, null, 2)}\n`)
console.log(`added ${Object.keys(added).length}: ${Object.keys(added).join(' ')}`)
