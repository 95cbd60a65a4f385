import { mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { build } from 'esbuild'
import { root } from '../bootstrap.mjs'

/**
 * What lines of `export … from './path'` give, for scripts that use the product's sources or those of its tests.
 * @param {string} name
 * @param {string[]} lines
 * @param {string} [from] the folder of another version
 * @returns {Promise<any>}
 */
export async function loadSources(name, lines, from = root) {
  const folder = mkdtempSync(path.join(from, `node_modules/.${name}-`))
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  const outfile = path.join(folder, 'sources.cjs')
  await build({
    stdin: { resolveDir: from, contents: lines.join('\n') },
    outfile,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    packages: 'external',
    alias: { 'server-only': path.join(from, 'scripts/vitest/empty.mjs'), '@': from },
    logLevel: 'error',
  })
  return createRequire(import.meta.url)(outfile)
}
