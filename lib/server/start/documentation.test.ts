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

const asking = (headers: Record<string, string> = {}, method = 'GET') =>
  new Request('http://localhost/docs', { method, headers })
const get = async (segments: string[], headers: Record<string, string> = {}, method = 'GET') => {
  const response = await serveDocs(segments, asking(headers, method), path.join(folder, 'site'))
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
  expect(await get(['operate'], { 'if-none-match': headers.etag ?? '' })).toMatchObject({ status: 304, text: '' })
  expect(await get(['operate'], { 'if-none-match': `W/${headers.etag}` })).toMatchObject({ status: 304 })
  expect(await get([], { 'if-none-match': headers.etag ?? '' })).toMatchObject({ status: 200 })
})

test('a film is sent in parts, as players ask for it', async () => {
  const film = ['assets', 'demo.webm']
  const { headers } = await get(film)
  expect(headers).toMatchObject({ 'accept-ranges': 'bytes' })
  const part = { status: 206, headers: { 'content-type': 'video/webm', etag: headers.etag } }
  expect(await get(film, { range: 'bytes=0-1' })).toMatchObject({
    ...part,
    text: 'fi',
    headers: { ...part.headers, 'content-range': 'bytes 0-1/4', 'content-length': '2' },
  })
  expect(await get(film, { range: 'bytes=1-' })).toMatchObject({ ...part, text: 'ilm' })
  expect(await get(film, { range: 'bytes=-1' })).toMatchObject({ ...part, text: 'm' })
  expect(await get(film, { range: 'bytes=2-99' })).toMatchObject({ ...part, text: 'lm' })
  expect(await get(film, { range: 'bytes=4-' })).toMatchObject({
    status: 416,
    text: '',
    headers: { 'content-range': 'bytes */4', 'cache-control': 'no-store' },
  })

  // A part of what the client has; otherwise the whole.
  expect(await get(film, { range: 'bytes=1-', 'if-range': headers.etag ?? '' })).toMatchObject({ status: 206 })
  const whole = { status: 200, text: 'film' }
  expect(await get(film, { range: 'bytes=1-', 'if-range': '"another"' })).toMatchObject(whole)
  expect(await get(film, { range: 'bytes=0-0,2-3' })).toMatchObject(whole)
  expect(await get(film, { range: 'lines=1-2' })).toMatchObject(whole)
  for (const range of ['bytes=3-1', 'bytes=9-8', 'bytes=-', 'bytes=1', 'bytes=a-b'])
    expect(await get(film, { range })).toMatchObject(whole)
  expect(await get(film, { range: 'bytes=1-' }, 'HEAD')).toMatchObject({ status: 200 })
  expect(await get(film, { range: 'bytes=1-', 'if-none-match': headers.etag ?? '' })).toMatchObject({ status: 304 })
  // Compressed on the way.
  expect(await get(['operate'], { range: 'bytes=1-' })).toMatchObject({ status: 200, text: 'operate' })
})

test('nothing outside of the site is served', async () => {
  for (const path of [['..', 'secret'], ['../secret'], ['assets', '../../secret.html'], ['no', 'such', 'page'], ['\0']])
    expect(await get(path)).toMatchObject({ status: 404, text: 'nothing here' })
})

test('says so while the site is not built', async () => {
  const response = await serveDocs([], asking(), path.join(folder, 'none'))
  expect(response.status).toBe(503)
  expect(await response.text()).toContain('not built yet')
})
