import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { root } from '../bootstrap.mjs'
import { brokenLinks, dropLeanScripts, withoutInlineScripts } from './finish.mjs'
import { GENERATED, ROOT_PAGES, SECTIONS, unlistedIn } from './pages.mjs'
import { toSource } from './source.mjs'

let folder
beforeEach(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'pilothouse-site-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))
function write(file, text = '') {
  mkdirSync(path.dirname(path.join(folder, file)), { recursive: true })
  writeFileSync(path.join(folder, file), text)
}

test('every page of a section exists, and the sidebar has documents that no section names too', () => {
  const there = (page) =>
    existsSync(path.join(root, 'docs', `${page}.md`)) ||
    [...Object.values(ROOT_PAGES), ...Object.keys(GENERATED)].includes(`${page}.md`)
  expect(SECTIONS.flatMap(({ pages }) => pages).filter((page) => !there(page))).toEqual([])
  write('operate.md', '# Operate')
  write('notes/new.md', '# New')
  expect(unlistedIn(folder)).toEqual(['notes/new'])
})

test('links between documents become pages of the site, others text', () => {
  const text =
    '[a](../operate.md#size) [b](README.md) [c](../../CHANGELOG.md) [d](../../lib/x.ts) [e](https://example.com)'
  expect(toSource(text, { from: 'docs/decisions/0001-x.md', root })).toBe(
    '[a](/operate#size) [b](/decisions/) [c](/changelog) d [e](https://example.com)',
  )
  expect(toSource('```\n[a](b.md)\n```\n', { from: 'docs/x.md', root })).toBe('```\n[a](b.md)\n```\n')
})

test('a picture with a dark twin follows the theme', () => {
  expect(toSource('![A "run"](screenshot.png)', { from: 'docs/x.md', root })).toBe(
    '<img class="light-only" src="./screenshot.png" alt="A &quot;run&quot;" loading="lazy"><img class="dark-only" src="./screenshot-dark.png" alt="A &quot;run&quot;" loading="lazy">',
  )
})

test('no script stays inline', () => {
  const files = {}
  const html = withoutInlineScripts(
    '<script id="x">a()</script><script type="module" src="/b.js"></script>',
    (name, code) => {
      files[name] = code
    },
  )
  expect(html).toMatch(
    /^<script id="x" src="\/docs\/assets\/inline\.\w{12}\.js"><\/script><script type="module" src="\/b.js">/,
  )
  expect(Object.values(files)).toEqual(['a()'])
})

test('links to pages and sections that do not exist are found, and what is loaded from elsewhere', () => {
  write(
    'index.html',
    '<h1 id="top"></h1><a href="/docs/a#there">1</a><a href="/docs/a#gone">2</a><a href="/docs/none">3</a>',
  )
  write(
    'a.html',
    '<p id="there"><a href="#top">4</a><a href="./index">5</a><script src="https://example.com/x.js"></script>',
  )
  write(
    'b/index.html',
    '<a href="/docs/b/">6</a><a href="/docs/b">7</a><img src="/docs/c.png"><a href="https://example.com">8</a><a href="/">9</a>',
  )
  expect(brokenLinks(folder).sort()).toEqual([
    'a.html: #top (no such section)',
    'a.html: ./index',
    'a.html: loads https://example.com/x.js',
    'b/index.html: /docs/c.png',
    'index.html: /docs/a#gone (no such section)',
    'index.html: /docs/none',
  ])
})

test('pages load their own script at a first visit, not another one without texts', () => {
  write('a.html', '<link rel="modulepreload" href="/docs/a.md.1.lean.js">')
  write('assets/app.js', 'page.replace(/\\.js$/, ".lean.js")')
  write('assets/a.md.1.js', 'long')
  write('assets/a.md.1.lean.js', 'short')
  dropLeanScripts(folder)
  expect(readdirSync(path.join(folder, 'assets')).sort()).toEqual(['a.md.1.js', 'app.js'])
  expect(readFileSync(path.join(folder, 'a.html'), 'utf8')).toContain('href="/docs/a.md.1.js"')
  expect(readFileSync(path.join(folder, 'assets/app.js'), 'utf8')).toBe('page.replace(/\\.js$/, ".js")')
})
