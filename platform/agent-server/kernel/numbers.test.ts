import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Db } from '../persistence/db'
import { ItemStore } from '../store/items'
import { type TestServer, testServer } from '../testing'
import { fromText, toDoubles, toText } from './numbers'

let server: TestServer
beforeAll(async () => {
  server = await testServer()
})
afterAll(() => server.close())

const BIG = '12345678901234567890'
const LONG = '0.98765432109876543210987'
const held = `{"id":${BIG},"deep":[{"ratio":${LONG}}]}`
const holdsAll = (text: string, times: number) => {
  expect(text.split(BIG).length - 1).toBe(times)
  expect(text.split(LONG).length - 1).toBe(times)
}

describe('numbers that a double cannot hold', () => {
  test('are preserved in assistants, their versions and their search', async () => {
    const created = await server.post(
      '/assistants',
      `{"graph_id":"typed","config":{"configurable":${held}},"metadata":${held}}`,
    )
    holdsAll(created.text, 2)
    const path = `/assistants/${created.json.assistant_id}`
    holdsAll((await server.get(path)).text, 2)
    holdsAll((await server.request('PATCH', path, '{"metadata":{"more":1},"name":"new"}')).text, 2)
    holdsAll((await server.post('/assistants/search', `{"metadata":{"id":${BIG}}}`)).text, 2)
    expect((await server.post('/assistants/search', `{"metadata":{"id":${BIG}1}}`)).json).toEqual([])
    expect((await server.post('/assistants/search', `{"metadata":{"id":12345678901234567891}}`)).json).toEqual([])
    holdsAll((await server.post(`${path}/versions`)).text, 4)
    holdsAll((await server.post(`${path}/latest`, { version: 1 })).text, 2)
  })

  test('are preserved in thread metadata and can be searched for', async () => {
    const created = await server.post('/threads', `{"metadata":${held}}`)
    holdsAll(created.text, 1)
    const path = `/threads/${created.json.thread_id}`
    holdsAll((await server.request('PATCH', path, `{"metadata":{"second":${held}}}`)).text, 2)
    holdsAll((await server.get(path)).text, 2)
    holdsAll((await server.post('/threads/search', `{"metadata":{"second":{"id":${BIG}}}}`)).text, 2)
    expect((await server.post('/threads/count', '{"metadata":{"id":12345678901234567891}}')).json).toBe(0)
    holdsAll((await server.post(`${path}/copy`)).text, 2)
  })

  test('are preserved in store items', async () => {
    const place = '"namespace":["numbers"],"key":"one"'
    await server.request('PUT', '/store/items', `{${place},"value":${held}}`)
    holdsAll((await server.get('/store/items?namespace=numbers&key=one')).text, 1)
    const search = (id: string) =>
      server.post('/store/items/search', `{"namespace_prefix":["numbers"],"filter":{"id":${id}}}`)
    holdsAll((await search(BIG)).text, 1)
    expect((await search('12345678901234567891')).json.items).toEqual([])
  })

  test('are preserved in run and cron records, and reach the graph as doubles', async () => {
    const thread = await server.newThread()
    const run = await server.post(
      `/threads/${thread}/runs`,
      `{"assistant_id":"counter","input":{"until":1,"count":${LONG},"log":["${'x'.repeat(10)}"]},"metadata":{"id":${BIG}},"config":{"configurable":{"id":${BIG}}}}`,
    )
    const { run_id } = run.json
    await server.until(thread, run_id, 'success')
    const { text } = await server.get(`/threads/${thread}/runs/${run_id}`)
    for (const part of [`"count":${LONG}`, `"metadata":{"id":${BIG}`, `"configurable":{"id":${BIG}}`])
      expect(text).toContain(part)
    expect((await server.get(`/threads/${thread}/state`)).json.values.count).toBe(1 + Number(LONG))
    const cron = await server.post(
      '/runs/crons',
      `{"assistant_id":"counter","schedule":"0 0 1 1 *","input":${held},"metadata":${held}}`,
    )
    holdsAll(cron.text, 3)
    holdsAll((await server.get(`/runs/crons/${cron.json.cron_id}`)).text, 3)
  })

  test('reach a graph that reads its store as doubles', async () => {
    const db = new Db(server.databaseUrl, 'agent_test', () => {})
    await new ItemStore(db, {}, 'exact').put(['graph'], 'one', fromText(held) as Record<string, unknown>)
    expect((await new ItemStore(db).get(['graph'], 'one'))?.value).toEqual(JSON.parse(held))
    await db.close()
  })

  test('values without them are passed through, and a graph’s values may be nested deeper than requests', () => {
    const plain = { a: [1, { b: 'x' }] }
    expect(toDoubles(plain)).toBe(plain)
    let deep: unknown = 1
    for (let depth = 0; depth < 800; depth++) deep = [deep]
    expect(fromText(toText(deep))).toEqual(deep)
  })
})
