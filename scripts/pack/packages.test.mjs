import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { root } from '../bootstrap.mjs'
import { actionKeyOf, copyPackages, dropPackages, fixBuild, PROGRAMS, packagesIn } from './packages.mjs'

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

test("of the packages that were copied for the console, those that Next.js's server loads as files are kept", () => {
  for (const name of ['next', '@next/env', '@aws-sdk/core', 'undici', 'sharp', '@img/colour', 'nextra'])
    write(`node_modules/${name}/package.json`, { name })
  const traced = ['next/dist/x.js', '@next/env/index.js', 'sharp/lib/sharp.js', '@img/colour/index.cjs']
  dropPackages(
    folder,
    traced.map((file) => `../node_modules/${file}`),
  )
  expect(packagesIn(at('node_modules')).sort()).toEqual(['@next/env', 'next'])
})

test('builds of one commit have the same keys and paths, wherever they are made', () => {
  const build = (hex, root) => {
    write('.next/prerender-manifest.json', { preview: { previewModeId: hex } })
    write('.next/server/chunks/a.js', `x = "${hex}"`)
    write('.next/server/chunks/b.js', `x = "${root}"`)
    write('server.js', `root = "${root}/app"`)
    return () => ['.next/server/chunks/a.js', 'server.js'].map((file) => readFileSync(at(file), 'utf8'))
  }
  const first = build('ab'.repeat(16), '/home/one')
  fixBuild(folder, 'c0ffee', '/home/one')
  const [text, server] = first()
  expect(text).toMatch(/^x = "[0-9a-f]{32}"$/)
  expect(text).not.toContain('ab'.repeat(16))
  expect(read('.next/prerender-manifest.json').preview.previewModeId).toBe(text.slice(5, 37))
  expect(server).not.toContain('/home/one')
  expect(readFileSync(at('.next/server/chunks/b.js'), 'utf8')).toContain('/home/one')
  const second = build('cd'.repeat(16), '/srv/another')
  fixBuild(folder, 'c0ffee', '/srv/another')
  expect(second()).toEqual([text, server])
  const other = build('ab'.repeat(16), '/home/one')
  fixBuild(folder, 'decade', '/home/one')
  expect(other()[0]).not.toBe(text)
})

test('the key that ids of actions are made with depends on the commit alone', () => {
  // As Next.js takes it: 256 bits.
  expect(Buffer.from(actionKeyOf('c0ffee'), 'base64')).toHaveLength(32)
  expect(actionKeyOf('c0ffee')).toBe(actionKeyOf('c0ffee'))
  expect(actionKeyOf('c0ffee')).not.toBe(actionKeyOf('decade'))
})
