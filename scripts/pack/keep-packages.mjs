// node scripts/pack/keep-packages.mjs [PACKAGE...] FILE...: leaves these packages in node_modules, and those that the programs
// import. For the images: packages of the console's pages and of builds are most of all.
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { root, run } from '../bootstrap.mjs'
import { importsOf } from './bundles.mjs'

const args = process.argv.slice(2)
const { specifiers } = await importsOf(args.filter((arg) => /\.m?[jt]s$/.test(arg)))
/** `@scope/name` or `name` of what an import names. */
const nameOf = (specifier) => specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/')
const kept = new Set([...args, ...specifiers.map(nameOf)])

const file = path.join(root, 'package.json')
const own = JSON.parse(readFileSync(file, 'utf8'))
const dependencies = Object.fromEntries(Object.entries(own.dependencies).filter(([name]) => kept.has(name)))
writeFileSync(file, `${JSON.stringify({ ...own, dependencies }, null, 2)}\n`)
if (!run('npm', ['prune', '--omit=dev', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']))
  process.exit(1)
