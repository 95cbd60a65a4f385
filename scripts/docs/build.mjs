// node scripts/docs/build.mjs: builds the documentation site into .build/docs, where the console serves it at /docs. Fails if
// a link leads nowhere.
import { cpSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { build } from 'vitepress'
import { root } from '../bootstrap.mjs'
import { brokenLinks, dropLeanScripts, moveInlineScripts } from './finish.mjs'
import { GENERATED, ROOT_PAGES } from './pages.mjs'
import { toSource } from './source.mjs'

const at = (...parts) => path.join(root, ...parts)
const source = at('.build/docs-source')
const out = at('.build/docs-new')

function write(file, text) {
  mkdirSync(path.dirname(path.join(source, file)), { recursive: true })
  writeFileSync(path.join(source, file), text)
}

rmSync(source, { recursive: true, force: true })
cpSync(at('docs'), source, { recursive: true })
cpSync(at('scripts/docs/site'), path.join(source, '.vitepress'), { recursive: true })
for (const name of ['icon.svg', 'icon-dark.svg']) {
  mkdirSync(path.join(source, 'public'), { recursive: true })
  cpSync(at('public', name), path.join(source, 'public', name))
}
const documents = readdirSync(at('docs'), { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.md'))
for (const [from, to] of [
  ...documents.map((file) => [path.posix.join('docs', file), file]),
  ...Object.entries(ROOT_PAGES),
])
  write(to, toSource(readFileSync(at(from), 'utf8'), { from, root }))
for (const [file, generate] of Object.entries(GENERATED)) write(file, await generate())

rmSync(out, { recursive: true, force: true })
Object.assign(process.env, { NODE_ENV: 'production' })
await build(source, { outDir: out })
dropLeanScripts(out)
moveInlineScripts(out)
const problems = brokenLinks(out)
if (problems.length > 0) {
  console.error(`[docs] Links that lead nowhere:\n  ${problems.join('\n  ')}`)
  process.exit(1)
}
rmSync(at('.build/docs'), { recursive: true, force: true })
renameSync(out, at('.build/docs'))
rmSync(source, { recursive: true, force: true })
