import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { testDatabase } from '@/scripts/testing'
import { Bus } from '../persistence/bus'
import { Db, type Query } from '../persistence/db'
import { MIGRATIONS } from '../persistence/migrations'
import { AgentSaver } from '../persistence/saver'
import { Hub } from '../runs/hub'
import { Sweeper } from '../sweeper'
import { ItemStore } from './items'

let database: Awaited<ReturnType<typeof testDatabase>>
let db: Db
let saver: AgentSaver
const complaints: string[] = []
beforeAll(async () => {
  database = await testDatabase()
  db = new Db(database.url, 'agent_test', (line) => complaints.push(line))
  saver = new AgentSaver(db)
  await db.migrate(() => saver.setup())
})
afterAll(async () => {
  await db.close()
  await database.drop()
})

describe('the schema', () => {
  test('is created once, even by several processes at the same time', async () => {
    const dbs = Array.from({ length: 4 }, () => new Db(database.url, 'agent_race', () => {}))
    await Promise.all(dbs.map((one) => one.migrate(() => new AgentSaver(one).setup())))
    expect(await dbs[0]?.query('select version from migrations')).toHaveLength(MIGRATIONS.length)
    await Promise.all(dbs.map((one) => one.close()))
  })

  test('from a newer server is refused and left unchanged', async () => {
    const newer = new Db(database.url, 'agent_newer', () => {})
    const migrate = () => newer.migrate(() => new AgentSaver(newer).setup())
    await migrate()
    await newer.query('insert into migrations values (999)')
    await expect(migrate()).rejects.toThrow('"agent_newer" was written by a newer agent server')
    await newer.close()
    expect(() => new Db(database.url, 'drop table', () => {})).toThrow('not a usable name')
  })

  test.each([
    ['compatible', MIGRATIONS.length],
    ['incompatible', MIGRATIONS.length + 1],
  ])('after a roll-back from a release with a migration that is %s', async (name, compatibleSince) => {
    const one = new Db(database.url, `agent_${name}`, () => {})
    const setup = () => new AgentSaver(one).setup()
    await one.migrate(setup)
    // As the releases before this column left it.
    await one.query('alter table migrations drop column compatible_since')
    await one.migrate(setup, { migrations: [...MIGRATIONS, 'create table later ()'], compatibleSince })
    const rolledBack = one.migrate(setup)
    if (name === 'compatible') await rolledBack
    else
      await expect(rolledBack).rejects.toThrow(
        `"agent_incompatible" was written by a newer agent server (version ${compatibleSince}), and this one is too old for it. Start the newer one again, or restore a backup from before the upgrade.`,
      )
    expect(await one.query('select from later')).toEqual([])
    expect(await one.query('select version from migrations')).toHaveLength(MIGRATIONS.length + 1)
    await one.close()
  })
})

describe('checkpoints', () => {
  const config = (checkpoint_id?: string) => ({
    configurable: { thread_id: 't', checkpoint_ns: '', ...(checkpoint_id && { checkpoint_id }) },
    metadata: { run_id: 'r', run_attempt: 1, note: 'x', __secret: 'y', thread_id: 't' },
  })
  const checkpoint = (id: string, values: Record<string, unknown>, versions: Record<string, number>) => ({
    v: 4,
    id,
    ts: new Date().toISOString(),
    channel_values: values,
    channel_versions: versions,
    versions_seen: {},
  })
  const meta = { source: 'loop', step: 1, parents: {} } as const

  test('are read back unchanged, with the run that wrote them', async () => {
    const values = {
      plain: { a: [1, 2.5, null, 'ü\0\ud83d\ude00'] },
      odd: new Map([['k', new Set([1])]]),
      bytes: new Uint8Array([1, 2]),
      none: undefined,
    }
    const versions = {
      plain: saver.getNextVersion(undefined),
      odd: saver.getNextVersion(undefined),
      bytes: saver.getNextVersion(undefined),
      none: saver.getNextVersion(undefined),
      gone: saver.getNextVersion(undefined),
    }
    await saver.put(config(), checkpoint('1', values, versions), meta, versions)
    await saver.putWrites(
      config('1'),
      [
        ['plain', { b: 1 }],
        ['odd', undefined],
      ],
      'task',
    )
    const tuple = await saver.getTuple({ configurable: { thread_id: 't' } })
    expect(tuple?.checkpoint.channel_values).toMatchObject({ plain: values.plain, odd: values.odd, none: undefined })
    expect(Array.from(tuple?.checkpoint.channel_values.bytes as Uint8Array)).toEqual([1, 2])
    expect(tuple?.checkpoint.channel_values).not.toHaveProperty('gone')
    expect(tuple?.metadata).toEqual({ ...meta, run_id: 'r', run_attempt: 1, note: 'x' })
    expect(tuple?.pendingWrites).toEqual([
      ['task', 'plain', { b: 1 }],
      ['task', 'odd', undefined],
    ])
  })

  test('with ten thousand writes are stored atomically', async () => {
    const writes = Array.from({ length: 10_000 }, (_, n): [string, unknown] => ['plain', n])
    await saver.putWrites(config('many'), writes, 'many')
    const [row] = await db.query<{ count: number }>(
      `select count(*)::int as count from checkpoint_writes where task_id = 'many'`,
    )
    expect(row?.count).toBe(10_000)
  })

  test('have ascending, unique versions', () => {
    const first = saver.getNextVersion(undefined)
    const [a, b] = [saver.getNextVersion(first), saver.getNextVersion(first)]
    expect(a).not.toBe(b)
    expect(a > first && b > first).toBe(true)
    const ninth = saver.getNextVersion(9)
    expect(saver.getNextVersion(ninth) > ninth).toBe(true)
  })

  test('a stopped attempt stores nothing more', async () => {
    await saver.stop('r', 1)
    await expect(saver.putWrites(config('1'), [['plain', 1]], 'late')).rejects.toThrow('stopped')
  })
})

describe('the hub', () => {
  test('frees a run’s log once nobody holds it', async () => {
    const bus = await Bus.open(db, 'test', () => {})
    const hub = new Hub(db, bus, (line) => complaints.push(line))
    for (let n = 0; n < 1000; n++) {
      const id = `run ${n}`
      const held = hub.acquire(id)
      const begun = hub.begin(id, 1, { isKept: false, isFollowed: false })
      const reader = held.log.attach()
      begun.writer.add(begun.log.publish('custom', 'x'.repeat(1000)))
      begun.log.end()
      begun.release()
      held.log.detach(reader)
      held.release()
      held.release()
    }
    expect(hub.size).toBe(0)
    await bus.close()
  })
})

describe('the sweeper', () => {
  test('removes old events of ended runs, and expired threads', async () => {
    await db.query(
      `insert into run_events values ('old', 1, 'custom', '1', now() - interval '2 hours'), ('new', 1, 'custom', '1', now())`,
    )
    await db.query(
      `insert into threads (thread_id, expires_at, status) values ('over', now() - interval '1 minute', 'idle'),
       ('busy', now() - interval '1 minute', 'busy'), ('later', now() + interval '1 minute', 'idle')`,
    )
    await db.query(
      `insert into threads (thread_id, expires_at, ttl_strategy) values ('history', now() - interval '1 minute', 'keep_latest')`,
    )
    const removed: string[] = []
    const shortened: string[] = []
    const stopper = { removeThread: async (id: string) => void removed.push(id) }
    const threads = { keepLatest: async (id: string) => void shortened.push(id) }
    await new Sweeper({ db, stopper, threads, store: new ItemStore(db), logError: () => {} }).sweep()
    expect([removed, shortened]).toEqual([['over'], ['history']])
    expect(await db.query('select run_id from run_events')).toEqual([{ run_id: 'new' }])
  })

  test('removes old events and items in portions, so that an interruption costs only the last one', async () => {
    await db.query(
      `insert into run_events select 'many', n, 'custom', '1', now() - interval '2 hours' from generate_series(1, 5) n`,
    )
    await db.query(
      `insert into items (namespace, key, value, expires_at) select array['old'], n::text, '1', now() - interval '1 minute'
       from generate_series(1, 5) n`,
    )
    const left = async (table: string) =>
      (await db.query<{ count: number }>(`select count(*)::int as count from ${table}`))[0]?.count
    const [events, items] = [await left('run_events'), await left('items')]
    const nobody = { removeThread: async () => {}, keepLatest: async () => {} }
    const store = new ItemStore(db)
    const sweepOf = (statements: number) => {
      let done = 0
      const query: Query = async (text, values) => {
        if (text.startsWith('with') && done++ === statements) throw new Error('gone')
        return db.query(text, values)
      }
      const by = { query } as unknown as Db
      const parts = { stopper: nobody, threads: nobody, store: { sweep: () => new ItemStore(by).sweep(2) } }
      return new Sweeper({ db: by, ...parts, logError: () => {}, portion: 2 }).sweep()
    }
    await expect(sweepOf(2)).rejects.toThrow('gone')
    expect([await left('items'), await left('run_events')]).toEqual([Number(items) - 4, events])
    await expect(sweepOf(4)).rejects.toThrow('gone')
    expect([await left('items'), await left('run_events')]).toEqual([Number(items) - 5, Number(events) - 4])
    await sweepOf(-1)
    expect(await left('run_events')).toBe(Number(events) - 5)
    expect(await store.sweep()).toBe(0)
  })
})
