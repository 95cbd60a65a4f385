// What comes with the package in a release: notes, provenance and checksums. Pure, so that it can be tested.
import { createHash } from 'node:crypto'

/** The images of a release, as targets of the Dockerfile. Each is tagged `pilothouse-TARGET`, which is what the charts expect. */
export const IMAGES = ['console', 'platform', 'full', 'gateway', 'agent']

const VERSION = /^\d+\.\d+\.\d+(-[0-9a-z.-]+)?$/i

/** The text of one version in the changelog, `Unreleased` for what is not released yet. Undefined if it has no section. */
export function notesOf(changelog, version) {
  const sections = changelog.split(/^## /m)
  const section = sections.find((one) => one.startsWith(`[${version}]`))
  if (section === undefined) return undefined
  const [, ...lines] = section.split('\n')
  return lines
    .join('\n')
    .replace(/^\[[^\]]+\]: .*$/gm, '')
    .trim()
}

/** Why this version cannot be released. Empty if it can. `tags` are the names of the repository's tags. */
export function obstacles({ version, changelog, tags, changed }) {
  const notes = notesOf(changelog, version)
  return [
    !VERSION.test(version) && `${version} is not a version: give package.json one like 1.2.3.`,
    changed.length > 0 && `These files are not committed: ${changed.join(', ')}.`,
    tags.includes(`v${version}`) && `The tag v${version} exists: raise the version in package.json.`,
    notes === undefined && `CHANGELOG.md has no section [${version}]: rename [Unreleased] and date it.`,
    notes === '' && `The section [${version}] of CHANGELOG.md is empty.`,
    notes !== undefined &&
      notesOf(changelog, 'Unreleased') === undefined &&
      'CHANGELOG.md needs a new [Unreleased] section.',
  ].filter((one) => typeof one === 'string')
}

export const sha256 = (bytes) => createHash('sha256').update(bytes).digest('hex')

/** Lines as `sha256sum --check` reads them. */
export const checksums = (files) => files.map(({ name, bytes }) => `${sha256(bytes)}  ${name}\n`).join('')

/**
 * Why Docker got no answer from a registry, in its words: an address behind a method is how Go tells of a request without a response.
 * Undefined if it failed for another reason.
 * @param {string} words
 */
export const unreachedIn = (words) => words.match(/\b(?:Head|Get|Post) "https?:[^"]+": (.+)/)?.[1]

/**
 * An in-toto statement with SLSA provenance 1.0: which file was made from which commit, by which command. It is not signed.
 * @param {{ name: string, bytes: Uint8Array, commit: string, node: string, lock: Uint8Array, at: string }} facts
 */
export const provenanceOf = ({ name, bytes, commit, node, lock, at }) => ({
  _type: 'https://in-toto.io/Statement/v1',
  subject: [{ name, digest: { sha256: sha256(bytes) } }],
  predicateType: 'https://slsa.dev/provenance/v1',
  predicate: {
    buildDefinition: {
      buildType: 'https://docs.npmjs.com/cli/commands/npm-pack',
      externalParameters: { command: 'node scripts/release.mjs' },
      resolvedDependencies: [
        { name: 'source', digest: { gitCommit: commit } },
        { name: 'package-lock.json', digest: { sha256: sha256(lock) } },
        { name: 'node', annotations: { version: node } },
      ],
    },
    runDetails: { builder: { id: 'scripts/release.mjs' }, metadata: { finishedOn: at } },
  },
})
