// The whole product for the browser tests: `npm start` with its own data folder, removed afterwards. Its output is also
// written to test-results/server.log, which some tests search.
import { spawn } from 'node:child_process'
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { root } from '../../scripts/bootstrap.mjs'

const data = mkdtempSync(path.join(os.tmpdir(), 'pilothouse-e2e-'))
const log = path.join(root, 'test-results/server.log')
mkdirSync(path.dirname(log), { recursive: true })
writeFileSync(path.join(root, 'test-results/e2e-data.txt'), data)
writeFileSync(log, '')
process.on('exit', () => rmSync(data, { recursive: true, force: true }))

const server = spawn(process.execPath, ['scripts/start.mjs'], {
  cwd: root,
  env: { ...process.env, PILOTHOUSE_DATA: data },
  stdio: ['ignore', 'pipe', 'pipe'],
})
for (const name of ['stdout', 'stderr'])
  server[name].on('data', (chunk) => {
    appendFileSync(log, chunk)
    process[name].write(chunk)
  })
for (const signal of /** @type {const} */ (['SIGTERM', 'SIGINT', 'SIGHUP']))
  process.on(signal, () => server.kill(signal))
server.on('close', (code) => process.exit(code ?? 1))
