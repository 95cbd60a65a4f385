// The whole product for the browser journeys: `npm start` over a data folder of its own, removed afterwards.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { root } from '../../scripts/bootstrap.mjs'

const data = mkdtempSync(path.join(os.tmpdir(), 'pilothouse-e2e-'))
mkdirSync(path.join(root, 'test-results'), { recursive: true })
writeFileSync(path.join(root, 'test-results/e2e-data.txt'), data)
process.on('exit', () => rmSync(data, { recursive: true, force: true }))
process.env.PILOTHOUSE_DATA = data
await import('../../scripts/start.mjs')
