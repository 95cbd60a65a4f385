import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { testDatabase } from '../testing'

// A longer run: node scripts/checks/kill-platform.mjs 100.
test.skipIf(process.platform !== 'linux')(
  'after kill -9 at any moment the platform comes back, is consistent, and leaves no process',
  async () => {
    const database = await testDatabase()
    try {
      const args = ['scripts/checks/kill-platform.mjs', '3', '--seed', '3', '--quiet', '--no-build']
      const env = { ...process.env, DATABASE_URL: database.url }
      const { stdout } = await promisify(execFile)(process.execPath, args, { env })
      const figures = JSON.parse(stdout.trim().split('\n').at(-1) ?? '')
      expect(figures.killed.platform).toBeGreaterThanOrEqual(3)
      expect(Object.keys(figures.steps).length).toBeGreaterThan(2)
    } finally {
      await database.drop()
    }
  },
  120_000,
)
