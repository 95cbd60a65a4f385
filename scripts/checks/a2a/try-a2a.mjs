// node scripts/checks/a2a/try-a2a.mjs FOLDER PYTHON [--write] [CATEGORY...]: runs the public compatibility kit of the A2A protocol, checked out in
// FOLDER with its packages installed for PYTHON, against an agent server that is really started. A proxy in front of it makes the
// kit's assumptions true: one agent at the root of its host, a card without a key, and tasks of its list tests that are still working
// when they are created. Prints a table of tests by outcome, and every failure with the reason why it does not apply, if there is one.
import { execFileSync, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import http from 'node:http'
import os from 'node:os'
import path from 'node:path'
import { cleanEnv, root, run } from '../../bootstrap.mjs'
import { startTestDatabase } from '../../start-test-database.mjs'
import { writeSection } from '../clients/compatibility.mjs'

const [folder, python, ...asked] = process.argv.slice(2).filter((word) => word !== '--write')
if (!folder || !python) {
  console.error('Name the kit and its Python: node scripts/checks/a2a/try-a2a.mjs FOLDER PYTHON')
  process.exit(2)
}
/** Why a failure says nothing about the server. */
const NOT_APPLICABLE = {
  test_push_notification_not_supported_error_32003_enhanced:
    'the test calls its own helper with the wrong number of arguments',
  test_tasks_list_with_existing_tasks: 'the test reads the response of another version of the protocol',
  test_extended_agent_card_response_format: 'the card says that there is no extended card',
  test_sensitive_information_protection: 'the name of the security scheme itself, apiKey, counts as a leaked key',
  test_send_streaming_message_with_push_notification_config:
    'it passes alone; after the others, the kit takes a notification of an earlier task for the one it waits for',
  test_binary_data_handling: 'a refusal by content type is correct; the test knows only an unknown method',
}
const KEY = 'key-of-the-kit'
const categories = asked.length ? asked : ['mandatory', 'optional/capabilities']
if (!run(process.execPath, ['scripts/build-platform.mjs'])) process.exit(1)
const database = startTestDatabase()
const server = fork(path.join(root, '.build/agent-server.mjs'), {
  env: cleanEnv({
    PILOTHOUSE_AGENT_DATABASE_URL: await database.url,
    PILOTHOUSE_AGENT_SCHEMA: 'kit',
    PILOTHOUSE_AGENT_CONFIG: path.join(root, 'scripts/checks/a2a/graph.json'),
    PILOTHOUSE_AGENT_OWNER: 'try-a2a',
    PILOTHOUSE_AGENT_WEBHOOK_RANGES: '127.0.0.0/8',
  }),
  silent: true,
})
const place = mkdtempSync(path.join(os.tmpdir(), 'pilothouse-kit-'))
let failed = 0
/** @type {string[]} */
const lines = []
const print = (line) => void lines.push(line)
try {
  const [message] = await once(server, 'message')
  const agent = `http://127.0.0.1:${message.ready.port}`
  const found = await fetch(`${agent}/assistants/search`, { method: 'POST', body: '{"graph_id":"asking"}' })
  const [{ assistant_id: id }] = await found.json()
  const proxy = http.createServer((request, response) => void forward(agent, id, request, response))
  await new Promise((resolve) => proxy.listen(0, '127.0.0.1', () => resolve(undefined)))
  // Not 127.0.0.1, which the kit takes for a leaked internal address.
  const { port } = /** @type {import('node:net').AddressInfo} */ (proxy.address())
  for (const category of categories) failed += await check(category, `http://localhost:${port}`)
  proxy.closeAllConnections()
  proxy.close()
} finally {
  const ended = once(server, 'exit')
  server.kill()
  await ended
  await database.stop()
  rmSync(place, { recursive: true, force: true })
}
print(execFileSync('git', ['-C', folder, 'log', '-1', '--format=%nThe kit is commit %h of %cs.'], { encoding: 'utf8' }))
console.log(lines.join('\n'))
if (process.argv.includes('--write')) writeSection('a2a', lines.join('\n'))
process.exit(failed ? 1 : 0)

/** The agent's card and endpoint at the root; the card then names the proxy, because it follows the forwarded host. */
async function forward(agent, id, request, response) {
  const chunks = []
  for await (const chunk of request) chunks.push(chunk)
  const isCard = request.url?.startsWith('/.well-known/')
  // As the gateway does.
  if (!isCard && request.headers['x-api-key'] !== KEY) return response.writeHead(401).end('{"detail":"No key"}')
  const body = withKitAssumptions(Buffer.concat(chunks))
  const target = isCard ? `${agent}/a2a/${id}/.well-known/agent-card.json` : `${agent}/a2a/${id}`
  const upstream = http.request(
    target,
    {
      method: request.method,
      headers: { ...request.headers, 'content-length': body.length, 'x-forwarded-host': request.headers.host },
    },
    (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      if (!isCard) return answer.pipe(response)
      const parts = []
      answer.on('data', (part) => parts.push(part)).on('end', () => response.end(Buffer.concat(parts)))
    },
  )
  upstream.on('error', () => response.destroy())
  response.on('close', () => upstream.destroy())
  upstream.end(body)
}

/** The kit's list tests want tasks that are working, which a request that waits for its task cannot return. */
function withKitAssumptions(body) {
  if (!body.includes('"list-test')) return body
  const request = JSON.parse(body.toString())
  request.params.configuration = { ...request.params.configuration, returnImmediately: true }
  return Buffer.from(JSON.stringify(request))
}

/** Runs a part of the kit. Returns the number of failures. */
async function check(category, url) {
  const report = path.join(place, `${category.replaceAll('/', '-')}.json`)
  const child = spawn(
    python,
    [
      ...['-m', 'pytest', `tests/${category}`, '-q', '--tb=line', '-p', 'no:cacheprovider'],
      ...['--sut-url', url, '--test-scope', 'all', '--json-report', `--json-report-file=${report}`],
    ],
    {
      cwd: folder,
      env: cleanEnv({ A2A_AUTH_TYPE: 'apikey', A2A_AUTH_TOKEN: KEY, A2A_AUTH_HEADER: 'x-api-key' }),
      stdio: ['ignore', 'ignore', 'inherit'],
    },
  )
  await once(child, 'close')
  const { tests, summary } = JSON.parse(readFileSync(report, 'utf8'))
  const { passed = 0, failed: bad = 0, error = 0, skipped = 0, xfailed = 0 } = summary
  const failures = tests.filter(({ outcome }) => outcome === 'failed' || outcome === 'error')
  const reasonOf = ({ nodeid }) => NOT_APPLICABLE[nodeid.split('::').at(-1)]
  const others = failures.filter(reasonOf).length
  const share = ((100 * passed) / Math.max(1, passed + bad + error - others)).toFixed(1)
  print(`\n### ${category}\n\n| passed | failed | does not apply | skipped | of what applies |\n|---|---|---|---|---|`)
  print(`| ${passed} | ${bad + error - others} | ${others} | ${skipped + xfailed} | ${share} % |\n`)
  for (const one of failures) {
    const text = reasonOf(one)
      ? `does not apply: ${reasonOf(one)}`
      : String((one.call ?? one.setup)?.crash?.message ?? '').replace(/\s+/g, ' ')
    print(`- ${one.nodeid.replace(/^tests\//, '')}: ${text.slice(0, 200)}`)
  }
  return bad + error - others
}
