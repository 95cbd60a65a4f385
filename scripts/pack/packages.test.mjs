import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { root } from '../bootstrap.mjs'
import { actionKeyOf, copyPackages, fixKeys, PROGRAMS, replaceLinks, sealPackages } from './packages.mjs'

let folder
beforeEach(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'pilothouse-pack-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const at = (...parts) => path.join(folder, ...parts)
function write(file, content) {
  mkdirSync(path.dirname(at(file)), { recursive: true })
  writeFileSync(at(file), typeof content === 'string' ? content : JSON.stringify(content))
}
const read = (file) => JSON.parse(readFileSync(at(file), 'utf8'))

test('what the launcher starts is in the package', () => {
  const launcher = readFileSync(path.join(root, 'scripts/launch/launch.mjs'), 'utf8')
  const started = [...launcher.matchAll(/'(?:\.\/)?(scripts\/[\w/-]+\.mjs)'/g)].map((match) => match[1])
  expect(started.length).toBeGreaterThan(2)
  expect(started.filter((file) => !PROGRAMS.includes(file))).toEqual([])
})

test('what packages load is copied, without types, tables and what npm installs', async () => {
  const loading = (...names) => names.map((name) => `require(${JSON.stringify(name)})`).join('\n')
  write('from/.build/x', '')
  write('from/node_modules/a/package.json', { name: 'a', exports: { '.': './index.js' }, dependencies: { b: '2' } })
  write('from/node_modules/a/index.js', loading('b', 'js-tiktoken/lite', 'esbuild'))
  for (const file of ['other.js', 'index.d.ts', 'index.js.map']) write(`from/node_modules/a/${file}`, 'x')
  write('from/node_modules/a/node_modules/b/index.js', 'x')
  write('from/node_modules/b/index.js', 'x')
  write('from/node_modules/js-tiktoken/package.json', { name: 'js-tiktoken' })
  write('from/node_modules/js-tiktoken/lite.js', loading('./dist/lite.js'))
  for (const file of ['lite.js', 'index.cjs']) write(`from/node_modules/js-tiktoken/dist/${file}`, 'x')
  write('from/node_modules/esbuild/index.js', 'x')
  await copyPackages(['a', 'node:fs'], at('from'), at('to'))
  expect(
    readdirSync(at('to'), { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.\w+$/.test(file))
      .sort(),
  ).toEqual([
    'node_modules/a/index.js',
    'node_modules/a/node_modules/b/index.js',
    'node_modules/a/package.json',
    'node_modules/js-tiktoken/dist/lite.js',
    'node_modules/js-tiktoken/lite.js',
    'node_modules/js-tiktoken/package.json',
  ])
})

test("a link of the bundler becomes a package with the target's exports", () => {
  write('node_modules/pg/package.json', { name: 'pg', version: '8.0.0', main: 'index.js' })
  write('node_modules/pg/index.js', 'exports.Pool = 7')
  mkdirSync(at('.next/node_modules'), { recursive: true })
  symlinkSync('../../node_modules/pg', at('.next/node_modules/pg-5877'))
  write('node_modules/@scope/store/package.json', { name: '@scope/store', version: '3.0.0', main: 'index.js' })
  write('node_modules/@scope/store/index.js', 'exports.Store = 8')
  mkdirSync(at('.next/node_modules/@scope'))
  symlinkSync('../../../node_modules/@scope/store', at('.next/node_modules/@scope/store-ecbe'))
  replaceLinks(folder)
  expect(existsSync(at('.next/node_modules'))).toBe(false)
  const load = createRequire(at('.next/server/chunk.js'))
  expect(load('pg-5877').Pool).toBe(7)
  expect(load('@scope/store-ecbe').Store).toBe(8)
})

test('sealed packages need nothing from npm but what lies inside them', () => {
  write('node_modules/a/package.json', {
    ...{ name: 'a', version: '1.2.3', main: 'a.js', exports: { '.': './a.js' }, files: ['dist'] },
    ...{ scripts: { postinstall: 'x' }, dependencies: { b: '^2', far: '^1' }, optionalDependencies: { c: '1' } },
  })
  write('node_modules/a/node_modules/b/package.json', { name: 'b', version: '2.1.0', dependencies: { d: '1' } })
  write('node_modules/@scope/e/package.json', { name: '@scope/e', version: '3.0.0' })
  expect(sealPackages(folder)).toEqual({ a: '1.2.3', '@scope/e': '3.0.0' })
  expect(read('node_modules/a/package.json')).toEqual({
    ...{ name: 'a', version: '1.2.3', main: 'a.js', exports: { '.': './a.js' } },
    dependencies: { b: '2.1.0' },
  })
  expect(read('node_modules/a/node_modules/b/package.json')).toEqual({ name: 'b', version: '2.1.0', dependencies: {} })
})

test('the random keys of a build become the same ones for the same commit, wherever they are', () => {
  const build = (hex) => {
    write('.next/prerender-manifest.json', { preview: { previewModeId: hex } })
    write('.next/server/chunks/a.js', `x = "${hex}"`)
    return () => readFileSync(at('.next/server/chunks/a.js'), 'utf8')
  }
  const first = build('ab'.repeat(16))
  fixKeys(folder, 'c0ffee')
  const text = first()
  expect(text).toMatch(/^x = "[0-9a-f]{32}"$/)
  expect(text).not.toContain('ab'.repeat(16))
  expect(read('.next/prerender-manifest.json').preview.previewModeId).toBe(text.slice(5, 37))
  const second = build('cd'.repeat(16))
  fixKeys(folder, 'c0ffee')
  expect(second()).toBe(text)
  const other = build('ab'.repeat(16))
  fixKeys(folder, 'decade')
  expect(other()).not.toBe(text)
})

test('the key that ids of actions are made with depends on the commit alone', () => {
  // As Next.js takes it: 256 bits.
  expect(Buffer.from(actionKeyOf('c0ffee'), 'base64')).toHaveLength(32)
  expect(actionKeyOf('c0ffee')).toBe(actionKeyOf('c0ffee'))
  expect(actionKeyOf('c0ffee')).not.toBe(actionKeyOf('decade'))
})
