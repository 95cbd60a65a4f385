// node scripts/checks/fuzz/fuzz-sse.mjs [COUNT] [SEED]: differential fuzz of lib/stream/sse.ts against Chromium's
// EventSource (20,000); prints the first differences and their number. Both get the same chunks of valid and invalid
// lines, the parser once more byte by byte.
import { mkdtempSync, rmSync } from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { chromium } from '@playwright/test'
import { build } from 'esbuild'
import { root } from '../../bootstrap.mjs'
import { requireChromium } from '../../chromium.mjs'

const count = Number(process.argv[2] ?? 20_000)
const seed = Number(process.argv[3] ?? 1)

const folder = mkdtempSync(path.join(root, 'node_modules/.fuzz-'))
process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
const outfile = path.join(folder, 'fuzz.mjs')
const entryPoints = [path.join(root, 'e2e/support/fuzz-sse.ts')]
await build({ entryPoints, outfile, bundle: true, format: 'esm', platform: 'node', packages: 'external' })
const { fuzzSse } = await import(pathToFileURL(outfile).href)

const executablePath = requireChromium()
const browser = await chromium.launch({ ...(executablePath && { executablePath }), args: ['--no-sandbox'] })
const began = Date.now()
const { streams, events, differences } = await fuzzSse(await browser.newPage(), { count, seed })
await browser.close()
for (const one of differences.slice(0, 5)) console.error(JSON.stringify(one, undefined, 1))
const took = ((Date.now() - began) / 1000).toFixed(1)
console.log(`${streams} streams, ${events} events, ${differences.length} differences (seed ${seed}, ${took} s)`)
process.exit(differences.length === 0 && events > 0 ? 0 : 1)
