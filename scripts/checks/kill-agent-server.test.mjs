import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { testDatabase } from '../testing'

// A longer run: node scripts/checks/kill-agent-server.mjs 200.
test.skipIf(process.platform === 'win32')(
  'kill -9 of an agent server at random moments loses no run or webhook, and repeats no checkpointed step',
  async () => {
    const database = await testDatabase()
    try {
      const args = ['scripts/checks/kill-agent-server.mjs', '3', '3', '--quick', '--no-build']
      const { stdout } = await promisify(execFile)(process.execPath, args, {
        env: { ...process.env, DATABASE_URL: database.url },
      })
      const figures = JSON.parse(stdout.trim().split('\n').at(-1) ?? '')
      expect(figures).toMatchObject({ kills: 3, problems: 0 })
      expect(figures.webhooks.runs).toBeGreaterThan(0)
    } finally {
      await database.drop()
    }
  },
  120_000,
)
