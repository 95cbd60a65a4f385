// node scripts/checks/try-clients.mjs [--write] [NAME...]: which versions of the official clients, and which MCP and A2A clients, work
// with the agent server. Installs each one in a folder of its own, runs its checks against a server that is really started, and
// prints tables for docs/compatibility.md. Python is left out where it is not installed. Needs the npm registry, and PyPI for Python.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { cleanEnv, root, run } from '../bootstrap.mjs'
import { startTestDatabase } from '../start-test-database.mjs'
import { checkClients } from './client-suite.mjs'
import { writeSection } from './clients/compatibility.mjs'

const SDK = '@langchain/langgraph-sdk'
/** The oldest that still finds users, the newest before protocol 2, two with it, and the one tagged `latest`. */
const SDK_VERSIONS = ['0.0.70', '0.1.10', '1.12.0', '1.15.0', '2.0.0']
const CLIENTS = [
  ...SDK_VERSIONS.map((version) => ({
    name: `JavaScript SDK ${version}`,
    packages: [`${SDK}@${version}`, version.startsWith('0.0.') ? '@langchain/core@0.3' : '@langchain/core@1', 'ws@8'],
    script: 'clients/sdk.mjs',
  })),
  {
    name: '@langchain/react 1.1.0',
    packages: ['@langchain/react@1.1.0', `${SDK}@1.15.0`, 'react@19', 'react-dom@19', 'jsdom@29'],
    script: 'clients/react.mjs',
  },
  {
    name: '@langchain/svelte 1.0.29',
    packages: ['@langchain/svelte@1.0.29', `${SDK}@1.15.0`, '@langchain/core@1', 'svelte@5', 'jsdom@29'],
    script: 'clients/svelte.mjs',
  },
  { name: 'Python SDK', packages: ['langgraph-sdk'], script: 'clients/python.py', versions: ['langgraph-sdk'] },
]
const GRAPH = '@langchain/langgraph'
const PASSTHROUGH = 'langgraph-nextjs-api-passthrough'
const ASSISTANT_UI = '@assistant-ui/react-langgraph'
/** Clients that programs and chat interfaces put between themselves and the SDK. */
const OTHER_CLIENTS = [
  {
    name: 'JavaScript RemoteGraph',
    packages: [GRAPH, '@langchain/core', `${SDK}@1`],
    script: 'clients/remote-graph.mjs',
    versions: [GRAPH],
  },
  { name: 'Python RemoteGraph', packages: ['langgraph'], script: 'clients/remote-graph.py', versions: ['langgraph'] },
  {
    name: 'Next.js passthrough',
    packages: [PASSTHROUGH, 'next@16', 'react@19', 'react-dom@19', '@langchain/core', `${SDK}@1`],
    script: 'clients/passthrough.mjs',
    versions: [PASSTHROUGH],
  },
  {
    name: 'Chat interface',
    packages: [PASSTHROUGH, 'next@16', 'react@19', 'react-dom@19', 'jsdom@29', '@langchain/core@1', `${SDK}@1`],
    script: 'clients/chat-interface.mjs',
    versions: [SDK, PASSTHROUGH],
  },
  {
    name: 'assistant-ui',
    // The newest whose dependencies are published.
    packages: [
      '@assistant-ui/react@0.15',
      `${ASSISTANT_UI}@0.14.25`,
      ...[`${SDK}@1`, '@langchain/core@1', 'react@19', 'react-dom@19', 'jsdom@29'],
    ],
    script: 'clients/assistant-ui.mjs',
    versions: [ASSISTANT_UI],
  },
]
/** Clients of the protocols between agents, which have features of their own. */
const PROTOCOL_CLIENTS = [
  {
    name: 'JavaScript MCP',
    packages: ['@modelcontextprotocol/sdk'],
    script: 'clients/mcp-client.mjs',
    versions: ['@modelcontextprotocol/sdk'],
  },
  { name: 'Python MCP', packages: ['mcp'], script: 'clients/mcp-client.py', versions: ['mcp'] },
  { name: 'JavaScript A2A', packages: ['@a2a-js/sdk'], script: 'clients/a2a-client.mjs', versions: ['@a2a-js/sdk'] },
  { name: 'Python A2A', packages: ['a2a-sdk[http-server]'], script: 'clients/a2a-client.py', versions: ['a2a-sdk'] },
]
const asked = process.argv.slice(2).filter((word) => word !== '--write')
const chosen = (clients) => clients.filter(({ name }) => !asked.length || asked.some((word) => name.includes(word)))
if (!run(process.execPath, ['scripts/build-platform.mjs'])) process.exit(1)
const database = startTestDatabase()
const server = fork(path.join(root, '.build/agent-server.mjs'), {
  env: cleanEnv({
    PILOTHOUSE_AGENT_DATABASE_URL: await database.url,
    PILOTHOUSE_AGENT_SCHEMA: 'clients',
    PILOTHOUSE_AGENT_CONFIG: path.join(root, 'platform/agent-server/fixtures/graph.json'),
    PILOTHOUSE_AGENT_OWNER: 'try-clients',
  }),
  silent: true,
})

let hasWorked = true
try {
  const [message] = await once(server, 'message')
  const tables = []
  for (const clients of [chosen(CLIENTS), chosen(OTHER_CLIENTS), chosen(PROTOCOL_CLIENTS)]) {
    if (clients.length === 0) continue
    const result = await checkClients(clients, { AGENT_SERVER_URL: `http://127.0.0.1:${message.ready.port}` })
    hasWorked &&= result.hasWorked
    tables.push(result.text)
  }
  if (process.argv.includes('--write')) writeSection('clients', tables.join('\n\n'))
} finally {
  const ended = once(server, 'exit')
  server.kill()
  await ended
  await database.stop()
}
process.exit(hasWorked ? 0 : 1)
