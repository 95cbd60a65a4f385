import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { helpFor } from './help'

const root = path.resolve(import.meta.dirname, '../../..')
const consolePages = readdirSync(path.join(root, 'app/(console)'), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('/page.tsx') && !file.includes('[...unknown]'))
  .map((file) => `/${path.dirname(file)}`.replaceAll(/\/\(\w+\)/g, '').replaceAll(/\[+(?:\.\.\.)?\w+\]+/g, '0f3c'))

test('every page has a section of the documentation that exists', () => {
  expect(consolePages.length).toBeGreaterThan(50)
  for (const page of consolePages) {
    const [file = '', anchor] = helpFor(page).replace('/docs/', '').split('#')
    const document = path.join(root, 'docs', `${file}.md`)
    expect(existsSync(document), `${page} → ${file}`).toBe(true)
    if (anchor) {
      const headings = [...readFileSync(document, 'utf8').matchAll(/^#+ (.+)$/gm)].map((match) => match[1] as string)
      expect(headings.map((one) => one.toLowerCase().replaceAll(' ', '-'))).toContain(anchor)
    }
  }
})

test('details have sections of their own', () => {
  expect(helpFor('/local/deployments/d/runs/new')).toBe('/docs/use/runs')
  expect(helpFor('/local/deployments/d/runs/r')).toBe('/docs/use/run')
  expect(helpFor('/local/deployments/d/traces/t')).toBe('/docs/use/traces#a-trace')
})
