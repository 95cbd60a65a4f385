import { Client as McpClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { API_KEY, Client, serverBehindGateway } from '../testing'
import { toolName, toolSchema } from './mcp-tools'

let behind: Awaited<ReturnType<typeof serverBehindGateway>>
let mcp: McpClient
/** Bypasses the SDK, to send requests that it never would. */
let raw: Client
beforeAll(async () => {
  behind = await serverBehindGateway()
  const headers = { 'X-Api-Key': API_KEY }
  mcp = new McpClient({ name: 'test', version: '1' })
  await mcp.connect(
    new StreamableHTTPClientTransport(new URL(`${behind.deploymentUrl}/mcp/`), { requestInit: { headers } }),
  )
  raw = new Client(behind.deploymentUrl, { ...headers, accept: 'application/json, text/event-stream' })
})
afterAll(async () => {
  await mcp.close()
  await behind.close()
})

const rpc = (method: string, params?: object, more: object = {}) => ({ jsonrpc: '2.0', id: 1, method, params, ...more })

describe('an MCP client through the gateway', () => {
  test('gets the server’s name and capabilities', () => {
    expect(mcp.getServerVersion()).toMatchObject({ name: 'agent-server' })
    expect(mcp.getServerCapabilities()).toEqual({ tools: {} })
  })

  test('lists each assistant as a tool, with the input of its graph', async () => {
    const { tools } = await mcp.listTools()
    const counter = tools.find(({ name }) => name === 'counter')
    expect(counter).toMatchObject({ description: 'Counts in steps', inputSchema: { type: 'object' } })
    expect(counter?.inputSchema.properties).toMatchObject({ until: { type: 'number', default: 3 } })
    expect(tools.find(({ name }) => name === 'chat')?.inputSchema.properties?.messages).toMatchObject({
      items: { required: ['role', 'content'] },
    })
    // This graph has TypeScript types only.
    expect(tools.find(({ name }) => name === 'typed')?.inputSchema.type).toBe('object')
  })

  test('calls a tool: text for people, the state for machines', async () => {
    const counted = await mcp.callTool({ name: 'counter', arguments: { until: 2 } })
    expect(counted.structuredContent).toMatchObject({ count: 2, log: ['none 1', 'none 2'] })
    const said = await mcp.callTool({
      name: 'chat',
      arguments: { messages: [{ role: 'user', content: 'hello there' }] },
    })
    expect(said.content).toEqual([{ type: 'text', text: 'You said: hello there' }])
    expect(said.isError).toBeUndefined()
  })

  test('gets progress notifications during a call', async () => {
    const seen: unknown[] = []
    await mcp.callTool({ name: 'counter', arguments: { until: 3, delay: 20 } }, undefined, {
      onprogress: (progress) => seen.push(progress),
    })
    expect(seen).toEqual([1, 2, 3].map((progress) => ({ progress, message: 'step' })))
  })

  test('gets failures, refused input and interrupts as results that a model can read', async () => {
    const call = async (name: string, args: object) => {
      const { isError, content } = await mcp.callTool({ name, arguments: args as Record<string, unknown> })
      return { isError, text: (content as [{ text: string }])[0].text }
    }
    expect(await call('failing', {})).toEqual({ isError: true, text: 'NoLuck: It was not to be.' })
    expect(await call('approval', { topic: 'x' })).toEqual({ isError: true, text: expect.stringContaining('Send it?') })
    expect(await call('approval', { topic: 7 })).toEqual({
      isError: true,
      text: 'Invalid input: topic: Invalid input: expected string, received number.',
    })
  })

  test('an unknown tool, method or cursor is an error of the protocol', async () => {
    await expect(mcp.callTool({ name: 'nobody' })).rejects.toMatchObject({ code: -32602 })
    await expect(mcp.listTools({ cursor: 'bm8' })).rejects.toMatchObject({ code: -32602 })
    expect((await raw.post('/mcp', rpc('resources/list'))).json.error.code).toBe(-32601)
    await mcp.ping()
  })

  test('lists user-created assistants as separate tools, page by page', async () => {
    const ids: string[] = []
    for (let index = 0; index < 60; index++)
      ids.push(
        (
          await behind.server.post('/assistants', {
            graph_id: 'counter',
            name: `Zähler, der ${index}.`,
            context: { label: `n${index}` },
          })
        ).json.assistant_id,
      )
    const names: string[] = []
    let cursor: string | undefined
    let pages = 0
    do {
      const page = await mcp.listTools({ cursor })
      names.push(...page.tools.map(({ name }) => name))
      cursor = page.nextCursor
      pages += 1
    } while (cursor)
    expect(pages).toBe(2)
    expect(new Set(names).size).toBe((await behind.server.post('/assistants/count')).json)
    expect(names.every((name) => /^[a-zA-Z0-9_-]{1,64}$/.test(name))).toBe(true)
    const name = `Zahler_der_7_${ids[7]?.slice(0, 8)}`
    expect(names).toContain(name)
    const called = await mcp.callTool({ name, arguments: { until: 1 } })
    expect(called.structuredContent).toMatchObject({ log: ['n7 1'] })
  })

  test('a run is stopped when its caller disconnects', async () => {
    const leave = new AbortController()
    const call = mcp.callTool({ name: 'counter', arguments: { until: 1000, delay: 50 } }, undefined, {
      signal: leave.signal,
      onprogress: () => leave.abort(),
    })
    await expect(call).rejects.toThrow()
    // The SDK cancels with a separate request, which no session links to the first; it closes the connection later.
    const gone = new AbortController()
    const open = raw.open(
      'POST',
      '/mcp/',
      rpc('tools/call', { name: 'counter', arguments: { until: 1000, delay: 50 } }),
      {},
      gone.signal,
    )
    const response = await open
    expect(response.headers.get('content-type')).toBe('text/event-stream')
    await expect.poll(async () => active()).toBeGreaterThan(0)
    gone.abort()
    await mcp.close()
    await expect.poll(async () => active(), { timeout: 5000 }).toBe(0)
  })
})

const active = async () => {
  const { text } = await behind.server.get('/metrics')
  return Number(/^agent_queue_active (\d+)/m.exec(text)?.[1])
}

describe('invalid MCP requests', () => {
  test.each([
    ['2025-11-25', '2025-11-25'],
    ['2024-11-05', '2024-11-05'],
    ['1999-01-01', '2025-11-25'],
  ])('a client that wants version %s gets %s', async (wanted, given) => {
    const params = { protocolVersion: wanted, capabilities: {}, clientInfo: { name: 'a', version: '1' } }
    const response = await raw.post('/mcp/', rpc('initialize', params))
    expect(response.json.result.protocolVersion).toBe(given)
    expect(response.headers.get('mcp-session-id')).toBeNull()
  })

  test('every body gets a response in the protocol’s format', async () => {
    const problem = (code: number) => ({ jsonrpc: '2.0', id: null, error: { code, message: expect.any(String) } })
    const send = (body: string) => raw.request('POST', '/mcp/', body)
    expect(await send('{"a":')).toMatchObject({ status: 400, json: problem(-32700) })
    for (const body of ['7', '{}', '{"jsonrpc":"1.0","id":1,"method":"ping"}', '[{"jsonrpc":"2.0"}]'])
      expect(await send(body)).toMatchObject({ status: 400, json: problem(-32700) })
    const other = await raw.request('POST', '/mcp/', 'a=1', { 'content-type': 'application/x-www-form-urlencoded' })
    expect([other.status, other.json]).toEqual([400, problem(-32700)])
    const unknown = await raw.post('/mcp/', rpc('ping'), { 'mcp-protocol-version': '1999-01-01' })
    expect([unknown.status, unknown.json.error.code]).toEqual([400, -32000])
  })

  test('notifications get an empty 202, batches all their responses, and JSON-only clients get JSON', async () => {
    const note = await raw.post('/mcp/', { jsonrpc: '2.0', method: 'notifications/initialized' })
    expect([note.status, note.text]).toEqual([202, ''])
    const batch = await raw.post('/mcp/', [rpc('ping'), rpc('tools/list', {}, { id: 2 })])
    expect(batch.json.map(({ id }: { id: number }) => id)).toEqual([1, 2])
    const plain = await raw.post('/mcp/', rpc('tools/call', { name: 'counter', arguments: { until: 1 } }), {
      accept: '*/*',
    })
    expect(plain.json.result.structuredContent).toMatchObject({ count: 1 })
  })

  test('GET and DELETE are refused, since there are no sessions', async () => {
    for (const method of ['GET', 'DELETE']) {
      const response = await raw.request(method, '/mcp/')
      expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST, OPTIONS'])
    }
  })
})

test('tool names use only widely accepted characters, and schemas are objects', () => {
  const assistant_id = '12345678-0000-4000-8000-000000000000'
  const name = (name: string) => toolName({ assistant_id, graph_id: 'g', name })
  expect(name('a b')).toBe('a_b_12345678')
  expect(name('日本')).toBe('agent_12345678')
  expect(name('x'.repeat(300))).toHaveLength(64)
  for (const schema of [null, undefined, { type: 'string' }, { anyOf: [] }, true])
    expect(toolSchema(schema)).toEqual({ type: 'object', additionalProperties: true })
  expect(toolSchema({ $schema: 'x', type: 'object', properties: { a: true }, additionalProperties: false })).toEqual({
    type: 'object',
    properties: { a: {} },
  })
})
