import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { bundleLinks, bundleShared, importsOf, joinChunks } from './bundles.mjs'
import { SHARED } from './packages.mjs'

let folder
beforeEach(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'pilothouse-bundles-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const at = (...parts) => path.join(folder, ...parts)
function write(file, content) {
  mkdirSync(path.dirname(at(file)), { recursive: true })
  writeFileSync(at(file), typeof content === 'string' ? content : JSON.stringify(content))
}

test('the sample graphs import only what graphs share with the server', async () => {
  const samples = ['chat', 'approval', 'archive', 'assistant/agent'].map((name) => `platform/samples/${name}.mjs`)
  const { specifiers } = await importsOf(samples)
  const isShared = (one) => SHARED.some((name) => `${one}/`.startsWith(name.replace('*', '')))
  expect(specifiers.filter((one) => !one.startsWith('node:') && !isShared(one))).toEqual([])
  expect(specifiers).toContain('zod')
})

test('a shared package keeps the exports that something loads, and what is in two of them exists once', async () => {
  const place = 'node_modules/@langchain/core'
  const manifest = {
    ...{ name: '@langchain/core', version: '1.0.0', dependencies: { zod: '4' }, scripts: { install: 'x' } },
    exports: {
      '.': { import: { types: './index.d.ts', default: './index.js' }, require: './index.cjs' },
      './tools': { import: './lib/tools.js' },
      './unused': { import: './unused.js' },
      './*': './lib/*',
    },
  }
  write(`from/${place}/package.json`, manifest)
  write(`from/${place}/index.js`, "export { Base } from './lib/base.js'; import 'zod'; import './lib/more.js'")
  write(`from/${place}/lib/tools.js`, "export { Base } from './base.js'; export const at = import.meta.url")
  write(`from/${place}/lib/base.js`, 'export class Base {}')
  for (const file of ['lib/more.js', 'unused.js']) write(`from/${place}/${file}`, 'export {}')
  const traced = ['package.json', 'index.js', 'lib/tools.js', 'lib/base.js', 'lib/more.js']
  await bundleShared([...traced.map((file) => `${place}/${file}`), 'package.json'], at('from'), at('to'))
  write('to/node_modules/zod/index.js', '')
  write('to/package.json', '{}')
  write('to/x.mjs', "export * as core from '@langchain/core'; export * as tools from '@langchain/core/tools'")
  const { core, tools } = await import(/* @vite-ignore */ at('to/x.mjs'))
  expect(core.Base).toBe(tools.Base)
  expect(existsSync(at('to', place, 'lib/base.js'))).toBe(false)
  const load = createRequire(at('to/x.mjs'))
  expect(() => load('@langchain/core/unused')).toThrow()
  const { name, version, dependencies, scripts } = load('@langchain/core/package.json')
  expect({ name, version, dependencies, scripts }).toEqual({ name: '@langchain/core', version: '1.0.0' })
})

test("a link of the bundler becomes a package of one file with the target's exports", () => {
  write('clone/node_modules/pg/package.json', { name: 'pg', main: 'index.js' })
  write('clone/node_modules/pg/index.js', "exports.Pool = require('./pool')")
  write('clone/node_modules/pg/pool.js', 'module.exports = 7')
  mkdirSync(at('app/.next/node_modules/@scope'), { recursive: true })
  symlinkSync('../../node_modules/pg', at('app/.next/node_modules/pg-5877'))
  write('clone/node_modules/@scope/store/package.json', { name: '@scope/store', main: 'index.js' })
  write('clone/node_modules/@scope/store/index.js', "exports.Store = 8; exports.pg = require('pg')")
  symlinkSync('../../../node_modules/@scope/store', at('app/.next/node_modules/@scope/store-ecbe'))
  bundleLinks(at('clone'), at('app'))
  rmSync(at('clone'), { recursive: true })
  expect(existsSync(at('app/.next/node_modules'))).toBe(false)
  const load = createRequire(at('app/.next/server/chunk.js'))
  expect(load('pg-5877').Pool).toBe(7)
  expect(load('@scope/store-ecbe')).toMatchObject({ Store: 8, pg: { Pool: 7 } })
})

const RUNTIME = `const path = require('path')
module.exports = { now: (name) => { const resolved = path.join(__dirname, name); return require(resolved) }, later: (resolved) => require(resolved) }`

test('joined chunks load as they did alone: when needed, once, with their own names and packages', () => {
  write('server/[turbopack]_runtime.js', RUNTIME)
  write(
    'server/a.js',
    "globalThis.loadedChunks.push('ä')\nmodule.exports = [1, () => require('yaml')]\n\n//# sourceMappingURL=a.js.map",
  )
  write('server/[b] (c).js', 'module.exports = [2, __filename]')
  write('node_modules/yaml/index.js', "module.exports = 'a tool'")
  joinChunks(at('server'))
  expect(readdirSync(at('server')).sort()).toEqual(['[turbopack]_runtime.js', 'chunks.bin', 'chunks.js'])
  const loaded = []
  Object.assign(globalThis, { loadedChunks: loaded })
  const runtime = createRequire(at('server/x.js'))('./[turbopack]_runtime.js')
  expect(runtime.now('[b] (c).js')).toEqual([2, at('server/[b] (c).js')])
  expect(loaded).toEqual([])
  const [, load] = runtime.now('a.js')
  expect(load()).toBe('a tool')
  expect(runtime.later(at('server/a.js'))[1]).toBe(load)
  expect(loaded).toEqual(['ä'])
})

test('refuses a runtime that loads chunks in an unknown way', () => {
  write('server/[turbopack]_runtime.js', 'require(resolved)')
  expect(() => joinChunks(at('server'))).toThrow('other ways')
})
