import { createHash } from 'node:crypto'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { GET } from '@/app/api/export/audit-trail/route'
import { listAudit } from '@/lib/server/records/audit'
import { readAuditKept } from '@/lib/server/records/audit-retention'
import { signIn, type TestConsole, testActor, testConsole } from '@/lib/server/testing'
import { confirmAuditExport, saveAuditLimits, saveAuditRetention } from './retention'

vi.mock('next/headers', () => import('@/lib/server/access/testing'))
let home: TestConsole
beforeAll(async () => {
  home = await testConsole({ CONTROL_PLANE_URL: 'http://127.0.0.1:9' })
})
afterAll(() => home.close())

const workspace = 'default'
const limits = { workspace, days: 40, maxBytes: null }
const download = () => GET(new Request('http://localhost:3000/api/export/audit-trail'))

test('an administrator of the console limits the trail, downloads it and confirms the file', async () => {
  const admin = await signIn(await testActor({ default: 'admin', '*': 'admin' }))
  expect(await saveAuditRetention({ ...limits, days: 29 })).toMatchObject({
    ok: false,
    error: { fields: [{ path: ['days'] }] },
  })
  expect(await saveAuditRetention({ ...limits, days: 30 })).toMatchObject({
    ok: true,
    data: { rest: { days: 30, dueAt: null } },
  })
  const response = await download()
  expect(response.headers.get('content-disposition')).toMatch(/^attachment; filename="audit-trail-[\dT-]+\.jsonl"$/)
  const file = await response.text()
  expect(
    file
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).operation),
  ).toEqual(Array(2).fill('saveAuditRetention'))

  const sum = createHash('sha256').update(file).digest('hex')
  const other = `${sum.slice(1)}${sum[0]}`
  for (const sha256 of [other, 'audit.jsonl'])
    expect(await confirmAuditExport({ workspace, sha256 })).toMatchObject({
      ok: false,
      error: { fields: [{ path: ['sha256'] }] },
    })
  const confirmed = await confirmAuditExport({ workspace, sha256: `${sum.toUpperCase()}  audit.jsonl\n` })
  expect(confirmed).toMatchObject({ ok: true, data: { rest: { days: 30 }, exportedThrough: 2, mayChange: true } })
  const { oldest, dueAt } = (await readAuditKept(admin, workspace)).rest
  expect((dueAt ?? 0) - (oldest?.at ?? 0)).toBe(31 * 86_400_000)
  expect(JSON.parse((await (await download()).text()).split('\n')[0] ?? '')).toMatchObject({ seq: 3 })
})

test('an administrator of a workspace sees the limits of the console, but neither changes them nor gets the trail', async () => {
  const admin = await signIn(await testActor({ default: 'admin' }))
  expect(await readAuditKept(admin, 'default')).toMatchObject({ mayChange: false })
  expect((await download()).status).toBe(403)
  for (const refused of [saveAuditRetention(limits), confirmAuditExport({ workspace, sha256: '0'.repeat(64) })])
    expect(await refused).toMatchObject({ ok: false, error: { code: 'forbidden' } })
})

test('an administrator of a workspace changes its limits, which the trail tells, and not those of another', async () => {
  await signIn(await testActor({ '*': 'admin' }))
  await saveAuditRetention({ ...limits, days: 90, maxBytes: 5_000_000 })
  const admin = await signIn(await testActor({ default: 'admin' }))
  for (const [field, value] of [
    ['days', 29],
    ['maxBytes', 999_999],
  ] as const)
    expect(await saveAuditLimits({ ...limits, [field]: value })).toMatchObject({
      ...{ ok: false, error: { fields: [{ path: [field] }] } },
    })
  expect(await saveAuditLimits(limits)).toMatchObject({
    ok: true,
    data: {
      own: { days: 40, maxBytes: null },
      workspace: { days: 40, maxBytes: 5_000_000 },
      rest: { days: 90, maxBytes: 5_000_000 },
    },
  })
  const { rows } = await listAudit(admin, { workspace })
  expect(rows[0]).toMatchObject({
    operation: 'saveAuditLimits',
    params: { days: '40', maxBytes: 'none' },
    outcome: 'done',
  })
  expect(await saveAuditLimits({ ...limits, days: null })).toMatchObject({
    ok: true,
    data: { workspace: { days: 90 } },
  })
  expect(await saveAuditLimits({ ...limits, workspace: 'other' })).toMatchObject({ error: { code: 'forbidden' } })
  await signIn(await testActor({ default: 'developer' }))
  expect(await saveAuditLimits(limits)).toMatchObject({ ok: false, error: { code: 'forbidden' } })
})
