// `node scripts/pack/sbom.mjs` prints the list of packages of this version. Made from the lock file, because `npm sbom --omit dev`
// also leaves out packages that both the product and its development need, and without `--omit` refuses a tree with unmet peers.
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { root } from '../bootstrap.mjs'

const MODULES = 'node_modules/'
/** Names of SPDX licences have no spaces; expressions do. */
const licenceOf = (licence) => (licence.includes(' ') ? { expression: licence } : { license: { id: licence } })

/**
 * A CycloneDX 1.5 document with every package of a lock file (version 2 or later) that is not only for development.
 * @param {{ packages: Record<string, any> }} lock
 * @param {{ name: string, version: string, at: string }} product `at`: an ISO time
 */
export function sbomOf({ packages }, { name, version, at }) {
  const shipped = new Map(Object.entries(packages).filter(([place, { dev, link }]) => place !== '' && !dev && !link))
  const nameAt = (place) => packages[place].name ?? place.slice(place.lastIndexOf(MODULES) + MODULES.length)
  const refOf = (place) => `${nameAt(place)}@${packages[place].version}`
  /** The packages that the one at `place` loads: from its own folder, or from the nearest one above. */
  const neededBy = (place) => {
    const { dependencies, optionalDependencies, peerDependencies } = packages[place]
    return Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies }).flatMap((needed) => {
      for (let at = place; ; at = at.slice(0, Math.max(0, at.lastIndexOf(`/${MODULES}`)))) {
        const found = `${at === '' ? '' : `${at}/`}${MODULES}${needed}`
        if (shipped.has(found)) return [refOf(found)]
        if (at === '') return []
      }
    })
  }
  const product = `${name}@${version}`
  const components = new Map()
  const dependencies = new Map([[product, new Set(neededBy(''))]])
  for (const [place, { version: of, license, integrity }] of shipped) {
    const ref = refOf(place)
    const [kind, digest = ''] = (integrity ?? '').split('-')
    components.set(ref, {
      type: 'library',
      'bom-ref': ref,
      name: nameAt(place),
      version: of,
      purl: `pkg:npm/${nameAt(place).replace('@', '%40')}@${of}`,
      ...(license && { licenses: [licenceOf(license)] }),
      ...(kind === 'sha512' && {
        hashes: [{ alg: 'SHA-512', content: Buffer.from(digest, 'base64').toString('hex') }],
      }),
    })
    // Copies of one version in several places may load different packages.
    dependencies.set(ref, new Set([...(dependencies.get(ref) ?? []), ...neededBy(place)]))
  }
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    version: 1,
    metadata: { timestamp: at, component: { type: 'application', 'bom-ref': product, name, version } },
    components: [...components.values()],
    dependencies: [...dependencies].map(([ref, needed]) => ({ ref, dependsOn: [...needed] })),
  }
}

if (process.argv[1] === import.meta.filename) {
  const read = (file) => JSON.parse(readFileSync(path.join(root, file), 'utf8'))
  const { name, version } = read('package.json')
  const sbom = sbomOf(read('package-lock.json'), { name, version, at: new Date().toISOString() })
  process.stdout.write(`${JSON.stringify(sbom, null, 2)}\n`)
}
