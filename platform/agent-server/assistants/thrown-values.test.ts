import { afterAll, beforeAll, expect, test } from 'vitest'
import { type TestServer, testServer } from '../testing'

let server: TestServer
beforeAll(async () => {
  server = await testServer()
})
afterAll(() => server.close())

test.each<[string, unknown, string]>([
  ['a text', 'declined', 'declined'],
  ['null', null, 'The graph threw null.'],
  ['nothing', undefined, 'The graph threw undefined.'],
  ['a number', 402, 'The graph threw 402.'],
  ['an object', { code: 402 }, 'The graph threw {"code":402}.'],
])(
  'a graph that throws %s fails with what it threw, in the stream, its task and its history',
  async (_, value, message) => {
    for (const how of ['value', 'nested']) {
      const thread = await server.newThread()
      const input = { how, ...(value !== undefined && { value }) }
      const failed = await server.post(`/threads/${thread}/runs/wait`, { assistant_id: 'failing', input })
      expect(failed.json).toEqual({ __error__: { error: 'Error', message } })
      const { json: state } = await server.get(`/threads/${thread}/state`)
      expect(state.tasks).toMatchObject([{ name: 'bad', error: message }])
      expect((await server.get(`/threads/${thread}`)).json.error).toMatchObject({ message })
    }
  },
)
