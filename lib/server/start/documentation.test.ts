import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { serveDocs } from './documentation'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'pilothouse-docs-'))
  const site = path.join(folder, 'site')
  mkdirSync(path.join(site, 'assets'), { recursive: true })
  mkdirSync(path.join(site, 'decisions'))
  for (const [name, text] of [
    ['index.html', 'home'],
    ['operate.html', 'operate'],
    ['decisions/index.html', 'decisions'],
    ['404.html', 'nothing here'],
    ['assets/app.js', 'code'],
    ['assets/demo.webm', 'film'],
    ['../secret.html', 'secret'],
  ] as const)
    writeFileSync(path.join(site, name), text)
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const get = async (segments: string[], known: string | null = null) => {
  const response = await serveDocs(segments, known, path.join(folder, 'site'))
  return { status: response.status, text: await response.text(), headers: Object.fromEntries(response.headers) }
}

test('pages have no ending, and a folder has its index', async () => {
  expect((await get([])).text).toBe('home')
  expect((await get(['operate'])).text).toBe('operate')
  expect(await get(['decisions'])).toMatchObject({
    status: 200,
    text: 'decisions',
    headers: { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-cache' },
  })
})

test('assets are kept by browsers, pages are asked for again', async () => {
  expect(await get(['assets', 'app.js'])).toMatchObject({
    text: 'code',
    headers: {
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
    },
  })
  expect((await get(['assets', 'demo.webm'])).headers['content-type']).toBe('video/webm')
  const { headers } = await get(['operate'])
  expect(await get(['operate'], headers.etag)).toMatchObject({ status: 304, text: '' })
  expect(await get(['operate'], `W/${headers.etag}`)).toMatchObject({ status: 304 })
  expect(await get([], headers.etag ?? '')).toMatchObject({ status: 200 })
})

test('nothing outside of the site is served', async () => {
  for (const path of [['..', 'secret'], ['../secret'], ['assets', '../../secret.html'], ['no', 'such', 'page'], ['\0']])
    expect(await get(path)).toMatchObject({ status: 404, text: 'nothing here' })
})

test('says so while the site is not built', async () => {
  const response = await serveDocs([], null, path.join(folder, 'none'))
  expect(response.status).toBe(503)
  expect(await response.text()).toContain('not built yet')
})
