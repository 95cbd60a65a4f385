// node scripts/checks/clients/deploy-tool/try-deploy-tool.mjs [--write]: the vendor's command-line tool deploys a folder to the embedded platform, and what
// it deployed answers a run. Prints a table for docs/compatibility.md. Needs Python, PyPI and the npm registry.
import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { startProgram } from '../../../../platform/testing/program.mjs'
import { run } from '../../../bootstrap.mjs'
import { startTestDatabase } from '../../../start-test-database.mjs'
import { checkClients } from '../../client-suite.mjs'
import { writeSection } from '../compatibility.mjs'

const TOOL = {
  name: 'Python',
  packages: ['langgraph-cli'],
  script: 'clients/deploy-tool/deploy-tool.py',
  versions: ['langgraph-cli'],
}

if (!run(process.execPath, ['scripts/build-platform.mjs'])) process.exit(1)
const folder = mkdtempSync(path.join(os.tmpdir(), 'pilothouse-deploy-'))
const database = startTestDatabase()
let hasWorked = true
try {
  const { child, ready, ended } = await startProgram({
    dataDir: folder,
    databaseUrl: await database.url,
    stdio: 'ignore',
  })
  try {
    const result = await checkClients([TOOL], { LANGGRAPH_HOST_URL: ready.url, LANGGRAPH_HOST_API_KEY: ready.apiKey })
    hasWorked = result.hasWorked
    if (process.argv.includes('--write')) writeSection('deploy', result.text)
  } finally {
    child.kill()
    await ended
  }
} finally {
  await database.stop()
  rmSync(folder, { recursive: true, force: true })
}
process.exit(hasWorked ? 0 : 1)
