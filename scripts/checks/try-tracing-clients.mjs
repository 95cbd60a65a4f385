// node scripts/checks/try-tracing-clients.mjs [NAME...]: which tracing SDKs and OpenTelemetry exporters work with the embedded
// platform. Installs each one in a folder of its own, runs its checks against a platform that is really started, and prints two
// tables for docs/compatibility.md. Python is left out where it is not installed. Needs the npm registry, and PyPI for Python.
import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { startProgram } from '../../platform/testing/program.mjs'
import { run } from '../bootstrap.mjs'
import { startTestDatabase } from '../start-test-database.mjs'
import { checkClients } from './client-suite.mjs'
import { writeSection } from './clients/compatibility.mjs'

/** The oldest here asks for the server's limits without its key; the last one is the newest. */
const SDK_VERSIONS = ['0.3.87', '0.10.5', '0.12.0']
const OTEL = ['@opentelemetry/sdk-trace-node', '@opentelemetry/exporter-trace-otlp-proto']
const SDKS = [
  ...SDK_VERSIONS.map((version) => ({
    name: `JavaScript SDK ${version}`,
    packages: [`langsmith@${version}`],
    script: 'clients/tracing-sdk.mjs',
  })),
  { name: 'Python', packages: ['langsmith'], script: 'clients/tracing-sdk.py', versions: ['langsmith'] },
]
const EXPORTERS = [
  {
    name: 'JavaScript',
    packages: [
      'langsmith',
      'ai',
      '@ai-sdk/otel',
      '@opentelemetry/api',
      ...OTEL,
      '@opentelemetry/exporter-trace-otlp-http',
    ],
    script: 'clients/otel.mjs',
    versions: [...OTEL, 'ai', '@ai-sdk/otel', 'langsmith'],
  },
  {
    name: 'Python',
    packages: ['langsmith', 'opentelemetry-exporter-otlp-proto-http', 'openai', 'opentelemetry-instrumentation-openai'],
    script: 'clients/otel.py',
    versions: ['opentelemetry-sdk', 'opentelemetry-instrumentation-openai', 'langsmith'],
  },
]

const asked = process.argv.slice(2).filter((word) => word !== '--write')
const chosen = (clients) =>
  clients.filter(({ name, script }) => !asked.length || asked.some((word) => `${name} ${script}`.includes(word)))
if (!run(process.execPath, ['scripts/build-platform.mjs'])) process.exit(1)
const folder = mkdtempSync(path.join(os.tmpdir(), 'pilothouse-tracing-'))
const database = startTestDatabase()
let hasWorked = true
try {
  const { child, ready, ended } = await startProgram({
    dataDir: folder,
    databaseUrl: await database.url,
    stdio: 'ignore',
  })
  try {
    const tables = []
    for (const clients of [chosen(SDKS), chosen(EXPORTERS)]) {
      if (clients.length === 0) continue
      const result = await checkClients(clients, { TRACES_URL: ready.url, TRACES_KEY: ready.apiKey })
      hasWorked &&= result.hasWorked
      tables.push(result.text)
    }
    if (process.argv.includes('--write')) writeSection('tracing', tables.join('\n\n'))
  } finally {
    child.kill()
    await ended
  }
} finally {
  await database.stop()
  rmSync(folder, { recursive: true, force: true })
}
process.exit(hasWorked ? 0 : 1)
