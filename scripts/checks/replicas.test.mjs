import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { testDatabase } from '../testing'

// The full one: node scripts/checks/replicas.mjs.
test.skipIf(process.platform === 'win32')(
  'two agent servers share a deployment, and one of them is killed: no run, event or order is lost',
  async () => {
    const database = await testDatabase()
    try {
      const sizes = ['--processes', '2', '--threads', '20', '--runs', '60', '--kill-every', '1', '--kills', '1']
      const args = ['scripts/checks/replicas.mjs', '--quick', '--no-build', '--readers', '30', ...sizes]
      const { stdout } = await promisify(execFile)(process.execPath, args, {
        env: { ...process.env, DATABASE_URL: database.url },
      })
      const { survive } = JSON.parse(stdout.trim().split('\n').at(-1) ?? '')
      expect(survive).toMatchObject({ runs: 60, kills: 1, problems: 0 })
      expect(survive.continued).toBeGreaterThan(0)
    } finally {
      await database.drop()
    }
  },
  120_000,
)
