// node scripts/backup/verify-audit.mjs [LOG_FILE] [--exported FILE]...: verifies the audit trail and exits with 0 (intact), 1
// (not intact) or 2 (unknown). Anchors come from the data folder and, if a log is given, from its `audit.anchor` lines.
// Exports, as of scripts/backup/prune-audit.mjs, are verified together with the rest, in any order. They may overlap.
import { readFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { withTrail } from './audit-trail.mjs'

const { values, positionals } = parseArgs({
  options: { exported: { type: 'string', multiple: true, default: [] } },
  allowPositionals: true,
})
const [log] = positionals.map((file) => path.resolve(file))
const exports = values.exported.map((file) => path.resolve(file))

const anchorsIn = (file) =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line.includes('"audit_anchor"'))
    .flatMap((line) => {
      try {
        const { audit_anchor: seq, chain, mac } = JSON.parse(line.slice(line.indexOf('{')))
        return [{ seq, chain, mac }]
      } catch {
        return []
      }
    })

async function* linesOf(file) {
  yield* (await open(file)).readLines()
}

try {
  const { isWhole, rows, removed, head, problems } = await withTrail(({ checkTrail }) =>
    checkTrail(
      log ? anchorsIn(log) : [],
      exports.map((file) => ({ name: file, lines: linesOf(file) })),
    ),
  )
  console.log(
    isWhole
      ? `The audit trail is whole: ${rows} rows${head ? `, the last with the MAC ${head.mac}` : ''}.`
      : `The audit trail is NOT whole (${rows} rows):`,
  )
  if (removed) console.log(`  ${removed} older rows were exported and removed.`)
  for (const problem of problems) console.log(`  ${problem}`)
  process.exitCode = isWhole ? 0 : 1
} catch (error) {
  console.error(`The audit trail could not be verified: ${error.message}`)
  process.exitCode = 2
}
