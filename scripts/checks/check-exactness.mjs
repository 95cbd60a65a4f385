// node scripts/checks/check-exactness.mjs COUNT [SEED]: the exactness test of live data with this many random faults.
import { spawnSync } from 'node:child_process'

const count = Number(process.argv[2] ?? 10_000)
const seed = process.argv[3]
if (!Number.isInteger(count) || count < 1) throw new Error('Give the number of faults.')
const { status } = spawnSync(
  process.execPath,
  ['node_modules/vitest/vitest.mjs', 'run', 'lib/server/live/exactness.test.ts'],
  {
    stdio: 'inherit',
    env: { ...process.env, EXACTNESS_FAULTS: String(count), ...(seed && { EXACTNESS_SEED: seed }) },
  },
)
process.exitCode = status ?? 1
