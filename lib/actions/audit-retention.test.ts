import { createHash } from 'node:crypto'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { GET } from '@/app/api/export/audit-trail/route'
import { readAuditKept } from '@/lib/server/records/audit-retention'
import { signIn, type TestConsole, testActor, testConsole } from '@/lib/server/testing'
import { confirmAuditExport, saveAuditRetention } from './retention'

vi.mock('next/headers', () => import('@/lib/server/access/testing'))
let home: TestConsole
beforeAll(async () => {
  home = await testConsole({ CONTROL_PLANE_URL: 'http://127.0.0.1:9' })
})
afterAll(() => home.close())

const download = () => GET(new Request('http://localhost:3000/api/export/audit-trail'))

test('an administrator of the console limits the trail, downloads it and confirms the file', async () => {
  const admin = await signIn(await testActor({ default: 'admin', '*': 'admin' }))
  expect(await saveAuditRetention({ days: 29 })).toMatchObject({ ok: false, error: { fields: [{ path: ['days'] }] } })
  expect(await saveAuditRetention({ days: 30 })).toMatchObject({ ok: true, data: { days: 30, dueAt: null } })
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
    expect(await confirmAuditExport({ sha256 })).toMatchObject({ ok: false, error: { fields: [{ path: ['sha256'] }] } })
  const confirmed = await confirmAuditExport({ sha256: `${sum.toUpperCase()}  audit.jsonl\n` })
  expect(confirmed).toMatchObject({ ok: true, data: { days: 30, exportedThrough: 2, mayChange: true } })
  const { oldestAt, dueAt } = await readAuditKept(admin, 'default')
  expect(Date.parse(dueAt ?? '') - Date.parse(oldestAt ?? '')).toBe(31 * 86_400_000)
  expect(JSON.parse((await (await download()).text()).split('\n')[0] ?? '')).toMatchObject({ seq: 3 })
})

test('an administrator of a workspace sees the limit, but neither changes it nor gets the trail', async () => {
  const admin = await signIn(await testActor({ default: 'admin' }))
  expect(await readAuditKept(admin, 'default')).toMatchObject({ mayChange: false })
  expect((await download()).status).toBe(403)
  for (const refused of [saveAuditRetention({ days: 40 }), confirmAuditExport({ sha256: '0'.repeat(64) })])
    expect(await refused).toMatchObject({ ok: false, error: { code: 'forbidden' } })
})
