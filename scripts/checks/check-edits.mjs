// node scripts/checks/check-edits.mjs COUNT: the property test of secret edits over this many interleavings.
import { spawnSync } from 'node:child_process'

const count = Number(process.argv[2] ?? 10_000)
if (!Number.isInteger(count) || count < 1) throw new Error('Give the number of interleavings.')
const { status } = spawnSync(
  process.execPath,
  ['node_modules/vitest/vitest.mjs', 'run', 'lib/server/edits/secrets-property.test.ts'],
  { stdio: 'inherit', env: { ...process.env, EDITS_RUNS: String(count) } },
)
process.exitCode = status ?? 1
