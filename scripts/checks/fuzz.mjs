// node scripts/checks/fuzz.mjs [REQUESTS] [--seed NUMBER] [--only NUMBER]: starts the whole product and sends requests made
// from the schemas to everything that answers. No answer may be a failure of ours or hold a secret, and no log an error.
// The seed and a request's number give it again. Exits with 1 at the end if there were problems.
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { ensureBuild, ensureDependencies, ensurePlatform, root } from '../bootstrap.mjs'
import { startFuzzedProduct } from './fuzz/product.mjs'
import { send } from './fuzz/send.mjs'
import { loadSources } from './load-sources.mjs'

const options = /** @type {const} */ ({ seed: { type: 'string' }, only: { type: 'string' }, from: { type: 'string' } })
const { values, positionals } = parseArgs({ options, allowPositionals: true })
const seed = Number(values.seed ?? Date.now() % 1_000_000)
const first = Number(values.only ?? values.from ?? 0)
const end = values.only ? first + 1 : first + Number(positionals[0] ?? 20_000)
const AT_ONCE = 8
/** Requests between two looks at what the others need: deployments, threads, sessions. */
const BATCH = 250

const sources = await loadSources('fuzz', [
  "export { ACTION_EXAMPLES } from './e2e/support/fuzz/actions'",
  "export { requestOf } from './e2e/support/fuzz/requests'",
  "export { named } from './e2e/support/fuzz/short'",
  "export * from './e2e/support/fuzz/surfaces'",
  "export { problemOf, isBadLine } from './e2e/support/fuzz/verdict'",
])
const manifest = path.join(root, '.next/server/server-reference-manifest.json')
ensureDependencies()
ensurePlatform()
ensureBuild()
const product = await startFuzzedProduct(sources.named)
let isOver = false
const finish = () => {
  isOver = true
}
process.once('SIGINT', finish).once('SIGTERM', finish)
const known = Object.entries(JSON.parse(readFileSync(manifest, 'utf8')).node).map(([id, one]) => ({ id, ...one }))
const actions = known.map(({ id, exportedName }) => ({
  id,
  name: exportedName,
  example: sources.ACTION_EXAMPLES[exportedName],
}))
const missing = actions.filter(({ example }) => !example).map(({ name }) => name)
if (missing.length > 0)
  console.log(`[fuzz] no example for ${missing.join(', ')}: add one to e2e/support/fuzz/actions.ts`)

const surfaces = [
  sources.controlPlaneSurface(),
  sources.tracesSurface(),
  sources.agentSurface('/agents/~deployment~'),
  sources.relaySurface(),
  sources.routeSurface(root),
  sources.actionSurface(actions.filter(({ example }) => example)),
]

/** @type {Map<string, { count: number, example: string }>} */
const problems = new Map()
const statuses = {}
function report(what, example) {
  const seen = problems.get(what)
  if (seen) seen.count += 1
  else {
    problems.set(what, { count: 1, example })
    console.log(`[fuzz] ${what}\n  ${example}`)
  }
}

async function one(number) {
  const request = product.filled(sources.requestOf(surfaces, seed, number), number)
  const { cookie: _, 'x-api-key': __, ...told } = request.headers
  const shown = `--seed ${seed} --only ${number}: ${request.method} ${request.path.slice(0, 300)} ${JSON.stringify(told)} ${String(request.body ?? '').slice(0, 400)}`
  const answer = await send(request)
  if ('failure' in answer) return report(`${request.name}: ${answer.failure}`, shown)
  const group = `${request.client} ${Math.floor(answer.status / 100)}xx`
  statuses[group] = (statuses[group] ?? 0) + 1
  const problem = sources.problemOf(request, answer, product.secretsFor(request.client))
  if (problem) report(`${request.name}: ${problem}`, `${shown}\n  ${answer.status} ${answer.text.slice(0, 500)}`)
  if (values.only) console.log(shown, JSON.stringify(request.headers), '\n', answer.status, answer.text.slice(0, 2000))
}

console.log(`[fuzz] ${end - first} requests, seed ${seed}, ${known.length} actions`)
const began = Date.now()
let next = first
try {
  while (next < end && !isOver) {
    await product.mend()
    const until = Math.min(end, next + BATCH)
    const lines = Array.from({ length: AT_ONCE }, async () => {
      while (next < until && !isOver) await one(next++)
    })
    await Promise.all(lines)
    for (const line of product.newLines().filter(sources.isBadLine))
      report(
        `log: ${line.replace(/[0-9a-f-]{36}|\d{3,}/g, '#').slice(0, 160)}`,
        `before ${next}: ${line.slice(0, 1_500)}`,
      )
    if (next % 2_000 === 0) console.log(`[fuzz] ${next} sent, ${Math.round((Date.now() - began) / 1000)} s`)
  }
  for (const line of (await product.agentLines()).filter(sources.isBadLine))
    report(`agent server's log: ${line.slice(0, 160)}`, line.slice(0, 1_500))
} finally {
  await product.stop()
}
const count = [...problems.values()].reduce((sum, { count }) => sum + count, 0)
console.log(
  JSON.stringify({
    seed,
    requests: next - first,
    seconds: Math.round((Date.now() - began) / 1000),
    statuses,
    problems: count,
  }),
)
for (const [what, { count }] of problems) console.log(`${count} × ${what}`)
if (count > 0 || missing.length > 0) process.exitCode = 1
