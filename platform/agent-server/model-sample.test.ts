import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { type TestServer, testServer } from './testing'

type Asked = { path: string | undefined; headers: IncomingMessage['headers']; body: Record<string, unknown> }
let server: TestServer
const asked: Asked[] = []
let answer: (response: ServerResponse) => void
const model = createServer(async (request, response) => {
  asked.push({ path: request.url, headers: request.headers, body: JSON.parse(await text(request)) })
  answer(response)
})
let url = ''

beforeAll(async () => {
  server = await testServer({ configPath: path.resolve(import.meta.dirname, '../samples/assistant/graph.json') })
  await once(model.listen(0, '127.0.0.1'), 'listening')
  url = `http://127.0.0.1:${(model.address() as AddressInfo).port}`
})
afterAll(async () => {
  model.close()
  await server.close()
})
afterEach(() => {
  vi.unstubAllEnvs()
  asked.length = 0
})

const send = (response: ServerResponse, events: unknown[]) => {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  for (const event of events) response.write(`data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`)
  response.end()
}
const input = { messages: [{ role: 'user', content: 'Hello' }] }
const run = { assistant_id: 'agent', input }

test('an OpenAI-compatible server, set by its base URL and key, streams its tokens', async () => {
  vi.stubEnv('OPENAI_BASE_URL', `${url}/v1/`)
  vi.stubEnv('OPENAI_API_KEY', 'canary-key')
  vi.stubEnv('OPENAI_MODEL', 'small')
  answer = (response) =>
    send(response, [
      ...['Good', ' morning', '!'].map((content) => ({ choices: [{ delta: { content } }] })),
      { choices: [], usage: { prompt_tokens: 7, completion_tokens: 3 } },
      '[DONE]',
    ])
  const events = await server.stream('/runs/stream', { ...run, stream_mode: ['messages-tuple', 'values'] })
  const tokens = events.filter(({ event }) => event === 'messages').map(({ data }) => data[0].content)
  expect(tokens.filter((token) => token !== '')).toEqual(['Good', ' morning', '!'])
  const last = events.findLast(({ event }) => event === 'values')?.data.messages.at(-1)
  expect(last).toMatchObject({ type: 'ai', content: 'Good morning!', usage_metadata: { total_tokens: 10 } })
  expect(asked).toMatchObject([
    {
      path: '/v1/chat/completions',
      headers: { authorization: 'Bearer canary-key' },
      body: { model: 'small', stream: true, messages: [{ role: 'system' }, { role: 'user', content: 'Hello' }] },
    },
  ])
})

test('Anthropic is asked in its own form', async () => {
  vi.stubEnv('ANTHROPIC_BASE_URL', url)
  vi.stubEnv('ANTHROPIC_API_KEY', 'canary-key')
  answer = (response) =>
    send(response, [
      { type: 'message_start', message: { usage: { input_tokens: 5, output_tokens: 1 } } },
      { type: 'content_block_delta', delta: { type: 'text_delta', text: 'Good ' } },
      { type: 'content_block_delta', delta: { type: 'text_delta', text: 'day' } },
      { type: 'message_delta', usage: { output_tokens: 2 } },
      { type: 'message_stop' },
    ])
  const { json } = await server.post('/runs/wait', run)
  expect(json.messages.at(-1)).toMatchObject({
    content: 'Good day',
    usage_metadata: { input_tokens: 5, output_tokens: 2 },
  })
  expect(asked).toMatchObject([
    {
      path: '/v1/messages',
      headers: { 'x-api-key': 'canary-key', 'anthropic-version': expect.any(String) },
      body: { system: expect.any(String), messages: [{ role: 'user', content: 'Hello' }], stream: true },
    },
  ])
})

test('a refused key is told without the key', async () => {
  vi.stubEnv('OPENAI_BASE_URL', url)
  vi.stubEnv('OPENAI_API_KEY', 'canary-key')
  answer = (response) => {
    response.writeHead(401, { 'content-type': 'application/json' })
    response.end('{"error":{"message":"Incorrect API key provided: canary-key."}}')
  }
  const { json } = await server.post('/runs/wait', run)
  expect(json.__error__.message).toContain('responded with 401. Incorrect API key provided: [key].')
})

test('without a key it says which secret to set, and where', async () => {
  for (const name of ['OPENAI_API_KEY', 'OPENAI_BASE_URL', 'ANTHROPIC_API_KEY']) vi.stubEnv(name, '')
  vi.stubEnv('PILOTHOUSE_SECRETS_URL', 'http://localhost:3000/local/deployments/d/settings/secrets')
  const { json } = await server.post('/runs/wait', run)
  const { content } = json.messages.at(-1)
  expect(content).toContain('`OPENAI_API_KEY`')
  expect(content).toContain('(http://localhost:3000/local/deployments/d/settings/secrets)')
  expect(asked).toEqual([])
})
