import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { brotliDecompressSync } from 'node:zlib'
import { afterAll, expect, test } from 'vitest'
import { compressStatic } from '@/scripts/pack/compress.mjs'
import { compressedFiles, leadToCompressed } from './compressed-files'

const LARGE = 'let a = 1;'.repeat(2_000)
const folder = mkdtempSync(path.join(tmpdir(), 'static-'))
mkdirSync(path.join(folder, 'chunks'))
for (const [name, text] of [
  ['chunks/large.js', LARGE],
  ['chunks/large.css', LARGE],
  ['chunks/large.json', LARGE],
  ['chunks/small.js', 'let a = 1'],
] as const)
  writeFileSync(path.join(folder, name), text)
afterAll(() => rmSync(folder, { recursive: true }))

function ask(files: ReadonlySet<string>, at: string, headers: Record<string, string> = {}) {
  const sent: Record<string, string> = {}
  const request = { url: `${at}?v=1`, headers: { 'accept-encoding': 'gzip, br', ...headers } }
  const response = { setHeader: (name: string, value: string) => void Object.assign(sent, { [name]: value }) }
  leadToCompressed(files, request as unknown as IncomingMessage, response as unknown as ServerResponse, at)
  return { url: request.url, ...sent }
}

test('a large script or style sheet comes compressed, as what it is, to those who take it', async () => {
  await compressStatic(folder, 4)
  const files = compressedFiles(folder)
  expect([...files].sort()).toEqual(['/_next/static/chunks/large.css', '/_next/static/chunks/large.js'])
  expect(brotliDecompressSync(readFileSync(path.join(folder, 'chunks/large.js.br'))).toString()).toBe(LARGE)
  expect(ask(files, '/_next/static/chunks/large.js')).toEqual({
    url: '/_next/static/chunks/large.js.br',
    'content-type': 'application/javascript; charset=UTF-8',
    'content-encoding': 'br',
    vary: 'Accept-Encoding',
  })
  expect(ask(files, '/_next/static/chunks/large.css')).toMatchObject({ 'content-type': 'text/css; charset=UTF-8' })
  for (const [at, headers] of [
    ['/_next/static/chunks/small.js', {}],
    ['/_next/static/chunks/large.json', {}],
    ['/_next/static/chunks/large.js', { 'accept-encoding': 'gzip' }],
    ['/_next/static/chunks/large.js', { 'accept-encoding': 'br;q=0, gzip' }],
    ['/_next/static/chunks/large.js', { range: 'bytes=0-9' }],
    ['/docs/chunks/large.js', {}],
  ] as const)
    expect(ask(files, at, headers)).toEqual({ url: `${at}?v=1` })
})

test('a console that was not built so serves its files as they are', () => {
  expect(compressedFiles(path.join(folder, 'nothing')).size).toBe(0)
})
