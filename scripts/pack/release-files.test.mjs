import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { expect, test } from 'vitest'
import { checksums, notesOf, obstacles, provenanceOf, sha256, unreachedIn } from './release-files.mjs'

const changelog = `# Changelog

## [Unreleased]

## [1.1.0] - 2026-12-01

### Added

- One thing, see [notes](docs/x.md).

## [1.0.0] - 2026-11-01

- The first.

[Unreleased]: ../../compare/v1.1.0...HEAD
[1.1.0]: ../../compare/v1.0.0...v1.1.0
`
const fine = { version: '1.1.0', changelog, tags: ['v1.0.0'], changed: [] }

test('reads the notes of one version', () => {
  expect(notesOf(changelog, '1.1.0')).toBe('### Added\n\n- One thing, see [notes](docs/x.md).')
  expect(notesOf(changelog, '1.0.0')).toBe('- The first.')
  expect(notesOf(changelog, 'Unreleased')).toBe('')
  expect(notesOf(changelog, '1.1')).toBeUndefined()
})

test('says everything that keeps a version from being released', () => {
  expect(obstacles(fine)).toEqual([])
  const changed = ['README.md', 'lib/x.ts']
  expect(obstacles({ version: '1.2', changelog: '# Changelog', tags: ['v1.2'], changed })).toEqual([
    '1.2 is not a version: give package.json one like 1.2.3.',
    'These files are not committed: README.md, lib/x.ts.',
    'The tag v1.2 exists: raise the version in package.json.',
    'CHANGELOG.md has no section [1.2]: rename [Unreleased] and date it.',
  ])
  expect(obstacles({ ...fine, changelog: '## [1.1.0]\n\n## [Unreleased]\n' })).toEqual([
    'The section [1.1.0] of CHANGELOG.md is empty.',
  ])
  expect(obstacles({ ...fine, changelog: '## [1.1.0]\n\n- A\n' })).toEqual([
    'CHANGELOG.md needs a new [Unreleased] section.',
  ])
})

test('checksums are what sha256sum reads', () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'pilothouse-release-'))
  try {
    const files = ['a', 'b'].map((name) => ({ name, bytes: Buffer.from(`the file ${name}`) }))
    for (const { name, bytes } of files) writeFileSync(path.join(folder, name), bytes)
    writeFileSync(path.join(folder, 'SHA256SUMS'), checksums(files))
    expect(`${execFileSync('sha256sum', ['--check', 'SHA256SUMS'], { cwd: folder })}`).toBe('a: OK\nb: OK\n')
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test('provenance names the file, the commit and the lock file', () => {
  const [bytes, lock] = [Buffer.from('package'), Buffer.from('lock')]
  const made = provenanceOf({
    name: 'p.tgz',
    bytes,
    lock,
    commit: 'c0ffee',
    node: 'v24.1.0',
    at: '2026-11-25T00:00:00Z',
  })
  expect(made.subject).toEqual([{ name: 'p.tgz', digest: { sha256: sha256(bytes) } }])
  expect(made.predicate.buildDefinition.resolvedDependencies.slice(0, 2)).toEqual([
    { name: 'source', digest: { gitCommit: 'c0ffee' } },
    { name: 'package-lock.json', digest: { sha256: sha256(lock) } },
  ])
})

test('tells a registry without an answer from images that are missing or do not build', () => {
  const lookup = 'dial tcp: lookup registry-1.docker.io: no such host'
  const of = (text) => `#3 [internal] load metadata\nERROR: failed to solve: ${text}\n`
  expect(unreachedIn(of(`failed to do request: Head "https://registry-1.docker.io/v2/library/node": ${lookup}`))).toBe(
    lookup,
  )
  expect(unreachedIn(of('failed to fetch anonymous token: Get "https://auth.docker.io/token": i/o timeout'))).toBe(
    'i/o timeout',
  )
  expect(unreachedIn(of('docker.io/library/node:24-none: not found'))).toBeUndefined()
  expect(unreachedIn(of('process "/bin/sh -c npx next build" did not complete: exit code: 1'))).toBeUndefined()
})
