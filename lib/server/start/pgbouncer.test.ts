import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { controlPlane } from '@/lib/contracts/control-plane'
import { createFixture, type Fixture } from '@/platform/testing/platform-fixture'
import { tickerFiles } from '@/platform/testing/ticker.mjs'
import { databaseProxy } from '@/scripts/proxies/database-proxy'
import { testDatabase } from '@/scripts/testing'
import { findPgBouncer, startPgBouncer } from '@/scripts/vitest/pgbouncer'
import { checkTrail } from '../audit/verify'
import { withEditLock } from '../edits/lock'
import { db } from '../process/db'
import { recorderHub } from '../recorder/shared-hub'
import { startRecording } from '../recorder/start'
import { logOf, type ScriptedServer, scriptedServer, summaryOf, until, workspaceFor } from '../recorder/testing'
import { type TestConsole, testActor, testConsole } from '../testing'
import { call } from '../upstream/call'

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })
const program = findPgBouncer()

// Debian: apt-get install pgbouncer.
describe.skipIf(!program)('behind PgBouncer in transaction mode (skipped where there is none)', () => {
  const ends: (() => Promise<void>)[] = []
  const behindPooler = async () => {
    const database = await testDatabase()
    ends.push(database.drop)
    const pooler = await startPgBouncer(program ?? '', database.url)
    ends.push(pooler.stop)
    return pooler
  }
  afterAll(async () => {
    for (const end of ends.toReversed()) await end()
  })

  describe('the console', () => {
    let home: TestConsole
    let server: ScriptedServer
    let deploymentId: string
    beforeAll(async () => {
      const { url, directUrl } = await behindPooler()
      home = await testConsole({ DATABASE_URL: url, DATABASE_DIRECT_URL: directUrl })
      server = await scriptedServer()
      deploymentId = await workspaceFor(server.url)
    })
    afterAll(async () => {
      await server.close()
      await recorderHub().stop()
      await home.close()
    })

    test('uses several connections of the pooler, whose settings it leaves alone', async () => {
      const store = await db()
      const pids = await Promise.all(
        Array.from(
          { length: 30 },
          async () => (await store.execute(sql`select pg_backend_pid() as pid, pg_sleep(0.05)`)).rows[0]?.pid,
        ),
      )
      expect(new Set(pids).size).toBeGreaterThan(1)
      expect(new Set(pids).size).toBeLessThanOrEqual(6)
    })

    test('records 40 runs at once without a loss, audits them, and its trail can be verified', async () => {
      const actor = await testActor({ tests: 'developer' })
      const started = await Promise.all(
        Array.from({ length: 40 }, (_, n) =>
          startRecording({
            ...{ actor, workspace: 'tests', deploymentId, thread: { kind: 'new' } },
            ...{ body: { assistant_id: 'agent', input: { n } }, key: `pooled start ${n}` },
          }),
        ),
      )
      for (let step = 0; step < 20; step += 1) {
        for (const run of server.runs.values()) run.emit('values', { step })
        await new Promise((resolve) => setTimeout(resolve, 20))
      }
      for (const run of server.runs.values()) run.finish()
      for (const { id } of started) {
        expect(await until(async () => (await summaryOf(id)).outcome, 20_000)).toBe('success')
        expect((await logOf(id)).filter(({ kind }) => kind === 'event')).toHaveLength(21)
      }
      expect(await checkTrail()).toMatchObject({ isWhole: true })
    })

    test('edits of one object wait for each other', async () => {
      const order: string[] = []
      const edit = (name: string) =>
        withEditLock(['deployment', 'tests', 'pooled'], async () => {
          order.push(`${name} begins`)
          await new Promise((resolve) => setTimeout(resolve, 50))
          order.push(`${name} ends`)
        })
      await Promise.all([edit('a'), edit('b')])
      expect(order).toEqual(['a begins', 'a ends', 'b begins', 'b ends'])
    })

    test('100 edits at once hold no connections, and none past the pooler', async () => {
      const store = await db()
      home.set({ DATABASE_DIRECT_URL: 'postgres://nobody@127.0.0.1:9/none' })
      let begun = 0
      let go = () => {}
      const all = new Promise<void>((resolve) => (go = resolve))
      await Promise.all(
        Array.from({ length: 100 }, (_, n) =>
          withEditLock(['deployment', 'tests', `pooled ${n}`], async () => {
            if (++begun === 100) go()
            await all
            await store.execute(sql`select 1`)
          }),
        ),
      )
    })
  })

  describe('the platform', () => {
    let fixture: Fixture
    let direct: Awaited<ReturnType<typeof databaseProxy>>
    let id: string
    let home: TestConsole
    beforeAll(async () => {
      const { url, directUrl } = await behindPooler()
      direct = await databaseProxy(directUrl)
      ends.push(direct.close)
      const addresses = { databaseUrl: url, databaseDirectUrl: direct.url }
      fixture = await createFixture({ ...addresses, agentServerEntry: undefined, readyTimeoutMs: 60_000 })
      home = await testConsole(fixture.consoleSettings)
    })
    afterAll(async () => {
      await home.close()
      await fixture.close()
    })

    test('rolls out a deployment, writes its logs, reads what it keeps, and lets no second platform start', async () => {
      const repository = fixture.repository()
      repository.commit(tickerFiles())
      const { body } = await fixture.client.create('pooled', repository.url)
      id = body.id
      await fixture.client.waitForStatus(id, body.latest_revision_id, 'DEPLOYED')
      expect(await fixture.client.log(body.id, body.latest_revision_id, 'deploy')).not.toBe('')
      const actor = await testActor({ local: 'admin' })
      const kept = await call(controlPlane.getRetention, { workspace: 'local' }, { actor })
      expect(kept.traces.max_age_days).toBe(14)
      await expect(fixture.start({ timeoutMs: 0 })).rejects.toThrow('Another platform is running on this database')
    })

    test('its agent servers read and write while nothing passes it', async () => {
      direct.setDown(true)
      expect((await fixture.client.request('POST', `/agents/${id}/threads`, {})).status).toBe(200)
      direct.setDown(false)
    })
  })
})
