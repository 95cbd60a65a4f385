// The exactness test of the live path with as many random faults as told, and a seed to repeat one: node scripts/checks/check-exactness.mjs 10000 [SEED]
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
