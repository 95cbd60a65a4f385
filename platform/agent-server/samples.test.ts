import path from 'node:path'
import { expect, test } from 'vitest'
import { Db } from './persistence/db'
import { testServer } from './testing'

const sample = (file: string) => path.resolve(import.meta.dirname, '../samples', file)

test('the chat sample stores plain messages without class internals', async () => {
  const server = await testServer({ configPath: sample('graph.json') })
  const thread = await server.newThread()
  for (const content of ['what is 1 + 2?', 'thank you'])
    await server.post(`/threads/${thread}/runs/wait`, {
      assistant_id: 'chat',
      input: { messages: [{ role: 'user', content }] },
      context: { delay_ms: 0 },
    })
  const db = new Db(server.databaseUrl, 'agent_test', () => {})
  const stored = await db.query<{ text: string }>(
    `select convert_from(blob, 'UTF8') as text from checkpoint_blobs where channel = 'messages'
     union all select convert_from(blob, 'UTF8') from checkpoint_writes where channel = 'messages'`,
  )
  expect(stored.length).toBeGreaterThan(5)
  expect(stored.filter(({ text }) => /lc_kwargs|lc_namespace|lc_serializable/.test(text))).toEqual([])
  // Storage stays close to the length of the conversation: nothing is stored twice.
  const longest = Math.max(...stored.map(({ text }) => text.length))
  const { messages } = (await server.get(`/threads/${thread}/state`)).json.values
  expect(messages).toHaveLength(6)
  expect(longest).toBeLessThan(1.5 * JSON.stringify(messages).length)

  const { input_schema } = (await server.get('/assistants/chat/schemas')).json
  expect(input_schema.properties.messages.items).toMatchObject({
    type: 'object',
    properties: { role: { type: 'string', description: expect.any(String) }, content: {} },
  })
  const wrong = await server.post('/runs/wait', { assistant_id: 'chat', input: { messages: [7] } })
  expect(wrong.json.__error__.message).toContain('A message is an object')
  await db.close()
  await server.close()
})

test('the notebook sample remembers per user, within a thread and across threads', async () => {
  const server = await testServer({ configPath: sample('workbench.json') })
  const note = async (user: string, text: string) =>
    (await server.post('/runs/wait', { assistant_id: 'notebook', input: { user, note: text } })).json.notes
  await note('j. doe', 'milk')
  expect(await note('ann', 'eggs')).toEqual(['eggs'])
  expect(await note('j. doe', 'bread')).toEqual(['milk', 'bread'])
  const { items } = (await server.post('/store/items/search', { namespace_prefix: ['notes', 'ann'] })).json
  expect(items.map(({ value }: { value: unknown }) => value)).toEqual([{ text: 'eggs' }])
  await server.close()
})
