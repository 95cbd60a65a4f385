import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { sql } from 'drizzle-orm'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { Role } from '@/lib/contracts/wire/api'
import { adoptStore, db, openStore } from '../process/db'
import { type AuditFilter, listAudit, verifyAudit } from '../records/audit'
import { type TestConsole, testActor, testConsole } from '../testing'
import { type Anchor, keptAnchors } from './anchor'
import { type AuditHead, appendRows } from './chain'
import { type AuditEntry, recordDenial, recordIntent, recordOutcome } from './trail'

vi.unmock('../process/log')

const entry: AuditEntry = {
  actor: { id: 'someone', email: 'someone@example.com', kind: 'user' },
  role: 'admin',
  workspace: 'staging',
  operation: 'updateDeployment',
  params: { deployment_id: 'd-1' },
  fields: ['secrets', 'resource_spec'],
  requestId: 'request-1',
}
const draft = (operation: string) => ({
  kind: 'intent' as const,
  intent: null,
  actor: 'someone',
  actorEmail: '',
  role: null,
  workspace: 'staging',
  operation,
  params: {},
  fields: [],
  upstreamStatus: null,
  outcome: null,
  requestId: 'r',
})

let home: TestConsole
beforeEach(async () => {
  home = await testConsole()
})
afterEach(async () => {
  await home.close()
})

const run = async (statement: ReturnType<typeof sql>) => (await db()).execute(statement)
const verify = async (anchors?: Anchor[]) => verifyAudit(await testActor({ '*': 'admin' }), 'staging', anchors)
const write = async (rows: number) => {
  for (let row = 1; row <= rows; row += 1) await recordIntent({ ...entry, requestId: `request-${row}` })
}

describe('the audit trail', () => {
  test('stores intent and outcome of a write, with names of fields but no values', async () => {
    const intent = await recordIntent(entry)
    await recordOutcome({ intent, status: 200, outcome: 'done', upstreamStatus: 202 })
    await recordDenial({ ...entry, role: 'viewer', outcome: 'needs admin' })
    const reader = await testActor({ staging: 'admin' })
    const { rows } = await listAudit(reader, { workspace: 'staging' })
    expect(
      rows.map(({ seq, outcome, said, upstreamStatus, role }) => [seq, outcome, said, upstreamStatus, role]),
    ).toEqual([
      [3, 'denied', 'needs admin', null, 'viewer'],
      [1, 'done', '200 done', 202, 'admin'],
    ])
    expect(rows[1]).toMatchObject({
      actor: 'someone@example.com',
      params: { deployment_id: 'd-1' },
      fields: ['secrets', 'resource_spec'],
      requestId: 'request-1',
    })
    expect(await verify()).toMatchObject({ isWhole: true, rows: 3, problems: [] })
  })

  test('is paged and readable only by administrators', async () => {
    await write(5)
    const reader = await testActor({ staging: 'admin' })
    const first = await listAudit(reader, { workspace: 'staging', limit: 3 })
    expect(first.rows.map(({ seq }) => seq)).toEqual([5, 4, 3])
    const second = await listAudit(reader, { workspace: 'staging', limit: 3, before: first.next ?? 0 })
    expect([second.rows.map(({ seq }) => seq), second.next]).toEqual([[2, 1], null])
    const others: Record<string, Role>[] = [{ other: 'admin' }, { staging: 'developer' }, { '*': 'viewer' }]
    for (const roles of others)
      await expect(listAudit(await testActor(roles), { workspace: 'staging' })).rejects.toMatchObject({
        code: 'forbidden',
      })
    expect((await listAudit(await testActor({ '*': 'admin' }), { workspace: 'empty' })).rows).toEqual([])
  })

  test('shows entries about no workspace to administrators of the console only', async () => {
    await recordIntent(entry)
    await recordIntent({ ...entry, workspace: '*', operation: 'console.disableMember', params: { account: 'a' } })
    await recordDenial({ ...entry, workspace: 'other', outcome: 'needs admin' })
    const found = async (roles: Record<string, Role>, about?: AuditFilter['about']) => {
      const { rows, hasConsole } = await listAudit(await testActor(roles), { workspace: 'staging', about })
      return [rows.map(({ seq, workspace }) => [seq, workspace]), hasConsole]
    }
    const [own, ofConsole] = [
      [1, 'staging'],
      [2, '*'],
    ]
    expect(await found({ '*': 'admin' })).toEqual([[ofConsole, own], true])
    expect(await found({ '*': 'admin' }, 'console')).toEqual([[ofConsole], true])
    expect(await found({ '*': 'admin' }, 'workspace')).toEqual([[own], true])
    expect(await found({ staging: 'admin', '*': 'developer' })).toEqual([[own], false])
    await expect(found({ staging: 'admin' }, 'console')).rejects.toMatchObject({ code: 'forbidden' })
  })

  test('is filtered by person, deployment, action, outcome and time', async () => {
    const of = async (more: Partial<AuditEntry>, outcome?: string) => {
      const intent = await recordIntent({ ...entry, operation: 'control-plane.updateDeployment', ...more })
      if (outcome) await recordOutcome({ intent, status: Number(outcome.slice(0, 3)), outcome: outcome.slice(4) })
    }
    await of({ params: { deployment_id: 'd-1' }, fields: ['secrets', 'secrets.set.A'] }, '200 done')
    await of({ params: { deployment_id: 'd-2' }, fields: ['name'] }, '409 conflict')
    await of({ params: { deployment_id: 'd-1', key: 'a\u0000b' }, operation: 'control-plane.deleteDeployment' })
    await recordDenial({ ...entry, operation: 'agent-server.cancelRun', params: { deployment: 'd-2', run_id: 'r' } })
    const reader = await testActor({ staging: 'admin' })
    const found = async (filter: AuditFilter) =>
      (await listAudit(reader, { workspace: 'staging', ...filter })).rows.map(({ seq }) => seq)
    expect(await found({})).toEqual([6, 5, 3, 1])
    expect(await found({ deployment: 'd-1' })).toEqual([5, 1])
    expect(await found({ deployment: 'd%' })).toEqual([])
    expect(await found({ group: 'secrets' })).toEqual([1])
    expect(await found({ group: 'deployments' })).toEqual([5, 3, 1])
    expect(await found({ group: 'runs', by: 'SOMEONE@' })).toEqual([6])
    expect(await found({ by: 'some_ne' })).toEqual([])
    for (const [outcome, seqs] of [
      ['done', [1]],
      ['failed', [3]],
      ['unknown', [5]],
      ['denied', [6]],
    ] as const)
      expect(await found({ outcome })).toEqual(seqs)
    expect(await found({ since: Date.now() + 60_000 })).toEqual([])
    expect(await found({ until: Date.now() + 60_000, before: 5 })).toEqual([3, 1])
  })

  test('accepts any characters that a caller puts into a path', async () => {
    const params = { thread_id: 'a\u0000b', key: '\ud800', __proto__x: '‮', text: '"\n{' }
    await recordIntent({ ...entry, workspace: 'st\u0000aging\n', params, fields: ['\u0000'] })
    const report = await verify()
    expect(report).toMatchObject({ isWhole: true, rows: 1 })
    const [row] = (await listAudit(await testActor({ '*': 'admin' }), { workspace: 'st aging ' })).rows
    expect(row?.params).toEqual(params)
  })

  test('stays one chain with twenty concurrent writers in several pools', async () => {
    const stores = await Promise.all(Array.from({ length: 5 }, () => openStore(home.databaseUrl, { connections: 4 })))
    const heads = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        appendRows(stores[index % 5]?.db as never, [draft(`writer-${index}`), draft(`again-${index}`)]),
      ),
    )
    await Promise.all([
      ...Array.from({ length: 20 }, () => recordIntent(entry)),
      ...stores.map((store) => store.close()),
    ])
    expect(new Set(heads.map(({ seq }: AuditHead) => seq)).size).toBe(20)
    expect(await verify()).toMatchObject({ isWhole: true, rows: 60 })
  })

  test('refuses a write if its intent cannot be recorded, but only logs a lost denial', async () => {
    await run(sql`drop table console.audit`)
    await expect(recordIntent(entry)).rejects.toMatchObject({ code: 'internal', view: { requestId: 'request-1' } })
    await expect(recordDenial(entry)).resolves.toBeUndefined()
  })

  test('does not append to a head that was tampered with', async () => {
    await write(3)
    await run(sql`delete from console.audit where seq = 3`)
    await run(sql`update console.audit_head set seq = 2, mac = (select mac from console.audit where seq = 2)`)
    await expect(recordIntent(entry)).rejects.toMatchObject({ code: 'internal' })
  })
})

describe('verification finds', () => {
  const cases: Record<string, [ReturnType<typeof sql>[], RegExp]> = {
    'a changed actor': [
      [sql`update console.audit set actor_email = 'other@example.com' where seq = 4`],
      /Row 4 was changed/,
    ],
    'a changed time': [[sql`update console.audit set at = at + interval '1 ms' where seq = 4`], /Row 4 was changed/],
    'a changed parameter': [
      [sql`update console.audit set params = '{"deployment_id":"d-2"}' where seq = 4`],
      /Row 4 was changed/,
    ],
    'a changed outcome': [[sql`update console.audit set outcome = '500' where seq = 4`], /Row 4 was changed/],
    'a removed row': [[sql`delete from console.audit where seq = 4`], /Row 4 is missing/],
    'a removed row with the rest renumbered': [
      [sql`delete from console.audit where seq = 4`, sql`update console.audit set seq = seq - 1 where seq > 4`],
      /Row 4 was changed, inserted or moved/,
    ],
    'an inserted row': [
      [
        sql`update console.audit set seq = seq + 100 where seq > 4`,
        sql`insert into console.audit select 5, at, kind, intent, actor, actor_email, role, workspace, operation, params, fields, upstream_status, outcome, request_id, mac from console.audit where seq = 4`,
      ],
      /Row 5 was changed, inserted or moved/,
    ],
    'two swapped rows': [
      [
        sql`update console.audit set seq = -1 where seq = 4`,
        sql`update console.audit set seq = 4 where seq = 5`,
        sql`update console.audit set seq = 5 where seq = -1`,
      ],
      /Row 4 was changed, inserted or moved/,
    ],
    'removed first rows': [[sql`delete from console.audit where seq <= 2`], /Rows 1 to 2 are missing/],
    'a removed newest row': [[sql`delete from console.audit where seq = 8`], /The newest rows, 8 to 8, are missing/],
    'an emptied trail': [[sql`delete from console.audit`], /The newest rows, 1 to 8, are missing/],
    'a row added at the end': [
      [
        sql`insert into console.audit select 9, at, kind, intent, actor, actor_email, role, workspace, operation, params, fields, upstream_status, outcome, request_id, mac from console.audit where seq = 8`,
      ],
      /Row 9 was changed, inserted or moved/,
    ],
    'a forged head': [
      [
        sql`delete from console.audit where seq = 8`,
        sql`update console.audit_head set seq = 7, mac = (select mac from console.audit where seq = 7)`,
      ],
      /does not match its seal/,
    ],
    'a removed head': [[sql`delete from console.audit_head`], /The sealed end is missing/],
  }

  test.each(Object.entries(cases))('%s', async (_, [statements, problem]) => {
    await write(8)
    expect((await verify()).isWhole).toBe(true)
    for (const statement of statements) await run(statement)
    const report = await verify()
    expect(report.isWhole).toBe(false)
    expect(report.problems.join('\n')).toMatch(problem)
  })

  test('removed newest rows with a reset head, through the anchors', async () => {
    await write(49)
    const { rows } = await run(sql`select * from console.audit_head`)
    await write(12)
    const then = rows[0] as { seq: string; mac: string; seal: string }
    await run(sql`delete from console.audit where seq > ${then.seq}`)
    await run(sql`update console.audit_head set seq = ${then.seq}, mac = ${then.mac}, seal = ${then.seal}`)
    const [kept] = keptAnchors()
    expect(kept?.seq).toBe(51) // the first row of a process and every fiftieth after it
    expect((await verify()).problems).toEqual(['Row 51 was anchored and is missing.'])
    const anchors = path.join(home?.dataDir ?? '', 'audit-anchor.json')
    const copy = JSON.parse(readFileSync(anchors, 'utf8'))
    rmSync(anchors)
    expect((await verify()).isWhole).toBe(true) // the database alone does not show it …
    expect((await verify(copy)).isWhole).toBe(false) // … but the log stream's anchor does
  })

  test('a new trail that replaced the old one', async () => {
    await write(3)
    await run(sql`truncate console.audit, console.audit_head`)
    await write(3)
    expect((await verify()).problems.join()).toMatch(/belongs to another trail/)
  })

  test('rows that were sealed with another key', async () => {
    await write(3)
    home?.set({ PILOTHOUSE_SEALING_KEY: 'another key of thirty-two letters' })
    expect((await verify()).problems.join()).toMatch(/the sealing key is different.*Row 1 was changed/)
  })
})

test('the first and every fiftieth row are anchored in the log stream, even if the file cannot be written', async () => {
  const out = vi.spyOn(process.stdout, 'write').mockReturnValue(true)
  const err = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  try {
    mkdirSync(path.join(home?.dataDir ?? '', 'audit-anchor.json')) // blocks the file with a folder
    await write(52)
    const lines = out.mock.calls
      .map(([text]) => JSON.parse(String(text)))
      .filter(({ event }) => event === 'audit.anchor')
    expect(lines.map(({ audit_anchor }) => audit_anchor)).toEqual([1, 51])
    expect(lines[1]).toMatchObject({ mac: expect.any(String), chain: expect.any(String) })
    expect(err.mock.calls.join()).toContain('audit.anchor_not_kept')
  } finally {
    out.mockRestore()
    err.mockRestore()
  }
})

test('the head is anchored on shutdown', async () => {
  Reflect.deleteProperty(globalThis, 'pilothouseShutdown')
  await write(3)
  expect(keptAnchors().map(({ seq }) => seq)).toEqual([1])
  ;(Reflect.get(globalThis, 'pilothouseShutdown') as AbortController).abort()
  Reflect.deleteProperty(globalThis, 'pilothouseShutdown')
  expect(keptAnchors().map(({ seq }) => seq)).toEqual([3])
})

test('intents are refused, not lost, while the store is down', async () => {
  await adoptStore('postgres://nobody@127.0.0.1:1/none')
  await expect(recordIntent(entry)).rejects.toMatchObject({ code: 'internal' })
  await adoptStore(home.databaseUrl)
  await expect(recordIntent(entry)).resolves.toMatchObject({ seq: 1 })
})
