import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { expect, test } from '@playwright/test'
import type { LogEntry } from '@/lib/stream/log'
import { scriptedConsole } from '../scripts/checks/scripted-console.mjs'

const EVENTS = 60
let folder: string
test.beforeEach(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'pilothouse-streams-'))
})
test.afterEach(() => rmSync(folder, { recursive: true, force: true }))

for (const setting of ['on', 'off'])
  test(`direct streams ${setting}: a run reaches its viewer complete and in order through a started Next.js server`, async () => {
    const file = path.join(folder, 'writes')
    writeFileSync(file, '')
    const console_ = await scriptedConsole({
      env: { PILOTHOUSE_DIRECT_STREAMS: setting, RESPONSE_WRITES: file },
      preload: path.resolve('e2e/support/count-response-writes.cjs'),
    })
    try {
      const { recording, run } = await console_.startRun('count')
      const entries: LogEntry[] = []
      const stop = console_.follow(recording, (more: LogEntry[]) => entries.push(...more))
      await expect.poll(() => entries.length).toBeGreaterThan(0)
      for (let n = 1; n <= EVENTS; n++) {
        run.emit('custom', { n })
        await new Promise((resolve) => setTimeout(resolve, 40)) // longer than a frame, so each event is its own write
      }
      run.finish()
      await expect.poll(() => entries.at(-1)?.kind).toBe('final')
      stop()
      const numbers = entries.flatMap((entry) =>
        entry.kind === 'event' && entry.event === 'custom' ? [JSON.parse(entry.data).n] : [],
      )
      expect(numbers).toEqual(Array.from({ length: EVENTS }, (_, index) => index + 1))
      expect(entries).toEqual(await console_.logOf(recording))
      // The first bytes of a connection always go through the framework.
      const writes = statSync(file).size
      if (setting === 'on') expect(writes).toBeLessThan(5)
      else expect(writes).toBeGreaterThan(EVENTS / 2)
    } finally {
      await console_.stop()
    }
  })
