import { expect, test } from 'vitest'
import { ProtocolAsk } from './protocol-request'

const message = { protocol: 'a2a', assistant: 'a', version: '1.0', verb: 'send', params: { a: 1 } }
const call = { protocol: 'mcp', ask: 'call', name: 'search', arguments: { q: [1] } }
const prompt = { protocol: 'mcp', ask: 'prompt', name: 'greet', arguments: { who: 'you' } }
const resource = { protocol: 'mcp', ask: 'resource', uri: 'file:///a' }

test.each([
  ...['tools', 'prompts', 'resources', 'templates'].map((ask) => ({ protocol: 'mcp', ask })),
  call,
  { ...call, name: 'n'.repeat(2_000) },
  prompt,
  { ...prompt, arguments: { who: 'x'.repeat(100_000) } },
  resource,
  ...['send', 'stream', 'list', 'get', 'cancel'].map((verb) => ({ ...message, verb })),
  { ...message, version: '0.3' },
])('%# is sent as it is', (ask) => {
  expect(ProtocolAsk.parse(ask)).toEqual(ask)
})

test.each([
  {},
  { protocol: 'mcp' },
  { protocol: 'mcp', ask: 'roots' },
  { protocol: 'mcp', ask: 'tools', cursor: 'x' },
  { ...call, name: '' },
  { ...call, name: 'n'.repeat(2_001) },
  { ...call, arguments: 'q' },
  { ...call, extra: 1 },
  { ...prompt, arguments: { who: 1 } },
  { ...prompt, arguments: { who: 'x'.repeat(100_001) } },
  { ...prompt, arguments: { '': 'x' } },
  { ...prompt, extra: 1 },
  { ...resource, uri: '' },
  { ...resource, extra: 1 },
  { ...resource, protocol: 'a2a' },
  { ...message, protocol: 'mcp' },
  { ...message, assistant: '' },
  { ...message, version: '2.0' },
  { ...message, verb: 'delete' },
  { ...message, params: [] },
  { ...message, extra: 1 },
])('%# is refused', (ask) => {
  expect(ProtocolAsk.safeParse(ask).success).toBe(false)
})
