// What is done to the pages that the generator wrote, so that they run under a policy without inline scripts, and a check of
// every link in them.
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'

/** Where the console is, and where it serves the site. */
const CONSOLE = `${process.env.PILOTHOUSE_BASE_PATH ?? ''}/`
export const BASE = `${CONSOLE}docs/`

/** The generator's pages. */
export const pagesIn = (folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.html'))

/** Moves inline scripts into files. Returns the page. */
export const withoutInlineScripts = (html, write) =>
  html.replace(/<script(?![^>]*\ssrc=)([^>]*)>([\s\S]*?)<\/script>/g, (_whole, attributes, code) => {
    const name = `assets/inline.${createHash('sha256').update(code).digest('hex').slice(0, 12)}.js`
    write(name, code)
    return `<script${attributes} src="${BASE}${name}"></script>`
  })

/** @param {string} folder */
export function moveInlineScripts(folder) {
  for (const file of pagesIn(folder)) {
    const at = path.join(folder, file)
    writeFileSync(
      at,
      withoutInlineScripts(readFileSync(at, 'utf8'), (name, code) => writeFileSync(path.join(folder, name), code)),
    )
  }
}

/**
 * Drops the script without texts that each page has for a first visit, and loads the page's other one instead: the npm package
 * has a hundred files fewer.
 * @param {string} folder
 */
export function dropLeanScripts(folder) {
  for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    const at = path.join(folder, file)
    if (file.endsWith('.lean.js')) rmSync(at)
    else if (/\.(html|js)$/.test(file)) writeFileSync(at, readFileSync(at, 'utf8').replaceAll('.lean.js', '.js'))
  }
}

const valuesOf = (html, attribute) =>
  [...html.matchAll(new RegExp(`\\s${attribute}="([^"]*)"`, 'g'))].map((match) => match[1].replaceAll('&amp;', '&'))

/** Links to what does not exist, and anything that a page would load from elsewhere. */
export function brokenLinks(folder) {
  const pages = new Map(pagesIn(folder).map((file) => [file, readFileSync(path.join(folder, file), 'utf8')]))
  const ids = new Map([...pages].map(([file, html]) => [file, new Set(valuesOf(html, 'id'))]))
  const problems = []
  for (const [file, html] of pages) {
    for (const loaded of [
      ...html.matchAll(/<(?:script|img|link|iframe|video|source)\b[^>]*?\s(?:src|href)="([^"]*)"/g),
    ])
      if (/^(https?:)?\/\//.test(loaded[1])) problems.push(`${file}: loads ${loaded[1]}`)
    for (const target of new Set([...valuesOf(html, 'href'), ...valuesOf(html, 'src')])) {
      if (/^(https?|mailto|data):/.test(target) || ['', CONSOLE].includes(target)) continue
      const [address, anchor] = target.split('#')
      if (address && !address.startsWith(BASE)) {
        problems.push(`${file}: ${target}`)
        continue
      }
      const name = decodeURIComponent(address.slice(BASE.length))
      const found = [name, `${name}.html`, `${name}index.html`, `${name}/index.html`].find(
        (one) => one && !one.endsWith('/') && (pages.has(one) || existsSync(path.join(folder, one))),
      )
      const page = address === '' ? file : found
      if (!page) problems.push(`${file}: ${target}`)
      else if (anchor && ids.has(page) && !ids.get(page)?.has(decodeURIComponent(anchor)))
        problems.push(`${file}: ${target} (no such section)`)
    }
  }
  return problems
}
