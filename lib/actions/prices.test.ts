import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { GET as getPrices } from '@/app/api/prices/[workspace]/route'
import type { Actor } from '@/lib/server/access/actor'
import { listAudit } from '@/lib/server/records/audit'
import { signIn, type TestConsole, type TestPeople, testConsole, testPeople } from '@/lib/server/testing'
import { deletePrice, importPrices, savePrice } from './prices'

let actor: Actor
vi.mock('next/headers', () => import('@/lib/server/access/testing'))
let home: TestConsole
let people: TestPeople
beforeAll(async () => {
  home = await testConsole({ CONTROL_PLANE_URL: 'http://127.0.0.1:9' })
  people = await testPeople()
})
afterAll(async () => {
  await home.close()
})
beforeEach(async () => {
  actor = await signIn(people.admin)
})

const workspace = 'default'
const price = {
  model: 'GPT-5*',
  provider: null,
  input: 1.25,
  output: 10,
  cachedInput: 0.125,
  reasoning: null,
  ...{ cacheWrite: 1.6, cacheWrite1h: null },
  validFrom: null,
}
type Listed = { id: string; model: string; input: number; source?: unknown }
const own = <Row extends { source?: unknown }>(rows: readonly Row[]) => rows.filter(({ source }) => !source)
const read = async () => {
  const response = await getPrices(new Request('http://localhost/api'), { params: Promise.resolve({ workspace }) })
  return response.ok ? own((await response.json()) as Listed[]) : response.status
}

test('administrators add, change and delete prices, every member reads them, and duplicates are refused', async () => {
  const saved = await savePrice({ workspace, price })
  if (!saved.ok) throw new Error(saved.error.message)
  const [{ id } = { id: '' }] = saved.data
  expect(own(saved.data)).toEqual([{ id, ...price }])
  expect(saved.data.find(({ source }) => source)).toMatchObject({ source: { checked: expect.any(String) } })
  const taken = { ok: false, error: { code: 'conflict', fields: [{ path: ['model'] }] } }
  expect(await savePrice({ workspace, price: { ...price, model: 'gpt-5*', input: 2 } })).toMatchObject(taken)
  const later = { ...price, input: 2, validFrom: '2026-05-01' }
  const added = await savePrice({ workspace, price: later })
  expect(own(added.ok ? added.data : [])).toMatchObject([later, price])
  expect(await savePrice({ workspace, id, price: later })).toMatchObject(taken)
  expect(await savePrice({ workspace, id, price: { ...price, output: 12.5 } })).toMatchObject({ ok: true })
  actor = await signIn(people.developer)
  expect(await read()).toMatchObject([later, { id, output: 12.5 }])
  actor = await signIn(people.admin)
  expect(await deletePrice({ workspace, id })).toMatchObject({ ok: true })
  expect(await read()).toMatchObject([later])
  expect(await savePrice({ workspace, id, price })).toMatchObject({ ok: false, error: { code: 'not_found' } })
  const { rows } = await listAudit(actor, { workspace })
  expect(rows.map(({ operation, fields }) => [operation, fields.includes('input')])).toContainEqual(['savePrice', true])
})

test('an import is all or nothing and replaces prices with the same model, provider and day', async () => {
  const rows = [price, { ...price, provider: 'openai' }, { ...price, model: 'gpt-5*', input: 7 }]
  const put = await importPrices({ workspace, prices: rows })
  expect(put.ok && own(put.data).flatMap((one) => (one.validFrom === null ? [one.input] : []))).toEqual([7, 1.25])
  const before = await read()
  expect(await importPrices({ workspace, prices: [price, { ...price, input: -1 }] })).toMatchObject({
    ok: false,
    error: { code: 'invalid', fields: [{ path: ['prices', 1, 'input'] }] },
  })
  expect(await read()).toEqual(before)
})

test('invalid amounts and days are refused at their fields', async () => {
  const bad = { ...price, output: Number.NaN, validFrom: '2026-02-31' }
  const refused = await savePrice({ workspace, price: bad })
  expect(refused.ok ? [] : refused.error.fields.map(({ path }) => path.join('.'))).toEqual([
    'price.output',
    'price.validFrom',
  ])
})

test('only administrators change prices, and non-members cannot read them', async () => {
  actor = await signIn(people.developer)
  for (const tried of [savePrice({ workspace, price }), importPrices({ workspace, prices: [price] })])
    expect(await tried).toMatchObject({ ok: false, error: { code: 'forbidden' } })
  actor = await signIn(people.stranger)
  expect(await read()).toBe(404)
})
