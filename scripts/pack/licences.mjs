// The licences of the packages whose code comes with ours. Bundles and traced files do not carry them.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { packagesIn } from './packages.mjs'

const LICENCE = /^(licen[cs]e|copying|notice)/i
/** Next.js brings packages of others in bundles of its own. */
const INSIDE = 'node_modules/next/dist/compiled'

const readJson = (file) => JSON.parse(readFileSync(file, 'utf8'))
/** One text: each licence once, below the names of the packages that have it. */
export function licencesOf(root) {
  const { packages } = readJson(path.join(root, 'package-lock.json'))
  // Those for one operating system are installed by npm, with their licences.
  const own = Object.keys(packages).filter((at) => at && !packages[at].dev && !packages[at].os)
  const places = [...own, ...packagesIn(path.join(root, INSIDE)).map((name) => `${INSIDE}/${name}`)]
  /** @type {Map<string, string[]>} */
  const holders = new Map()
  for (const place of places) {
    const at = path.join(root, place)
    if (!existsSync(path.join(at, 'package.json'))) continue
    const { name = path.basename(place), version, license } = readJson(path.join(at, 'package.json'))
    const files = readdirSync(at, { withFileTypes: true }).filter((one) => one.isFile() && LICENCE.test(one.name))
    const texts = files.map((one) => readFileSync(path.join(at, one.name), 'utf8').replaceAll('\r', '').trim())
    const text = texts.sort().join('\n\n') || `Licence: ${license?.type ?? license ?? 'see its source'}`
    holders.set(text, [...(holders.get(text) ?? []), [name, version].filter(Boolean).join(' ')])
  }
  const parts = [...holders].map(([text, names]) => `${[...new Set(names)].sort().join(', ')}\n\n${text}\n`)
  return `Pilothouse comes with code of these packages.\n\n${parts.sort().join(`\n${'-'.repeat(80)}\n\n`)}`
}
