import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../bootstrap.mjs'
import { sbomOf } from './sbom.mjs'

const lock = JSON.parse(readFileSync(path.join(root, 'package-lock.json'), 'utf8'))
const product = { name: 'pilothouse', version: '1.0.0', at: '2026-11-26T00:00:00.000Z' }

test('lists every package that is not only for development, once, with what each of them loads', () => {
  const sbom = sbomOf(lock, product)
  const refs = sbom.components.map((one) => one['bom-ref'])
  expect(new Set(refs).size).toBe(refs.length)
  const shipped = Object.entries(lock.packages).filter(([place, { dev, link }]) => place !== '' && !dev && !link)
  expect(refs.length).toBeGreaterThan(300)
  for (const [place, { name, version }] of shipped)
    expect(refs).toContain(`${name ?? place.slice(place.lastIndexOf('node_modules/') + 13)}@${version}`)
  const known = new Set([...refs, 'pilothouse@1.0.0'])
  for (const { ref, dependsOn } of sbom.dependencies)
    for (const one of [ref, ...dependsOn]) expect(known).toContain(one)
  const direct = sbom.dependencies.find(({ ref }) => ref === 'pilothouse@1.0.0')?.dependsOn ?? []
  for (const name of Object.keys(lock.packages[''].dependencies))
    expect(
      direct.some((one) => one.startsWith(`${name}@`)),
      name,
    ).toBe(true)
})

test('a package that development needs too is listed, and a nested copy belongs to the package around it', () => {
  const sbom = sbomOf(
    {
      packages: {
        '': { dependencies: { a: '1', '@s/b': '1' } },
        'node_modules/a': { version: '1.0.0', license: 'MIT', dependencies: { c: '2' }, integrity: 'sha512-AAE=' },
        'node_modules/a/node_modules/c': { version: '2.0.0', license: 'MIT OR Apache-2.0' },
        'node_modules/@s/b': { version: '1.0.0', dependencies: { c: '1' } },
        'node_modules/c': { version: '1.0.0', devOptional: true },
        'node_modules/d': { version: '1.0.0', dev: true },
      },
    },
    product,
  )
  expect(sbom.components.map(({ purl }) => purl)).toEqual([
    'pkg:npm/a@1.0.0',
    'pkg:npm/c@2.0.0',
    'pkg:npm/%40s/b@1.0.0',
    'pkg:npm/c@1.0.0',
  ])
  expect(sbom.components[0]).toMatchObject({
    licenses: [{ license: { id: 'MIT' } }],
    hashes: [{ alg: 'SHA-512', content: '0001' }],
  })
  expect(sbom.components[1]).toMatchObject({ licenses: [{ expression: 'MIT OR Apache-2.0' }] })
  expect(sbom.dependencies).toEqual([
    { ref: 'pilothouse@1.0.0', dependsOn: ['a@1.0.0', '@s/b@1.0.0'] },
    { ref: 'a@1.0.0', dependsOn: ['c@2.0.0'] },
    { ref: 'c@2.0.0', dependsOn: [] },
    { ref: '@s/b@1.0.0', dependsOn: ['c@1.0.0'] },
    { ref: 'c@1.0.0', dependsOn: [] },
  ])
})

test('the program prints the list of this version', () => {
  const printed = JSON.parse(execFileSync(process.execPath, ['scripts/pack/sbom.mjs'], { cwd: root, encoding: 'utf8' }))
  const { name, version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'))
  const { timestamp: at } = printed.metadata
  expect(printed).toEqual(JSON.parse(JSON.stringify(sbomOf(lock, { name, version, at }))))
})
