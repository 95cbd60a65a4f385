import { expect, test } from 'vitest'
import type { AssistantRow } from '../assistants/assistants'
import { agentCard, publicBase } from './agent-card'

const row = {
  assistant_id: 'a1',
  graph_id: 'chat',
  name: 'Friendly',
  description: null,
  version: 3,
} as unknown as AssistantRow

test.each<[string, readonly string[] | undefined, string[], string]>([
  [
    'a conversation',
    ['messages', 'topic'],
    ['text/plain', 'application/json'],
    ' Fields of its input: messages, topic.',
  ],
  ['other fields only', ['topic'], ['application/json'], ' Fields of its input: topic.'],
  ['no fields', [], ['application/json'], ''],
  ['an unknown input', undefined, ['text/plain', 'application/json'], ''],
])('the card of an agent with %s says what it can be sent', (_, fields, modes, inputs) => {
  const card = agentCard(row, 'https://x.example', fields, false)
  const about = 'The agent "Friendly" (graph chat).'
  expect(card).toMatchObject({
    name: 'Friendly',
    description: about,
    version: '3',
    url: 'https://x.example/a2a/a1',
    documentationUrl: 'https://x.example/docs',
    defaultInputModes: modes,
    defaultOutputModes: ['text/plain', 'application/json'],
    capabilities: { streaming: true, pushNotifications: false, stateTransitionHistory: false, extensions: [] },
    supportsAuthenticatedExtendedCard: false,
    skills: [{ id: 'chat', name: 'Friendly', description: about + inputs, tags: ['graph'], inputModes: modes }],
    securitySchemes: {
      apiKey: { apiKeySecurityScheme: { location: 'header', in: 'header', name: 'X-Api-Key' } },
    },
    security: [{ apiKey: [] }],
    securityRequirements: [{ schemes: { apiKey: { list: [] } } }],
  })
  expect(card.supportedInterfaces).toEqual(
    ['1.0', '0.3'].map((protocolVersion) => ({ url: card.url, protocolBinding: 'JSONRPC', protocolVersion })),
  )
})

test('the card has the assistant’s own description, and says whether tasks are pushed', () => {
  const card = agentCard({ ...row, description: 'Talks' }, '', ['topic'], true)
  expect(card.description).toBe('Talks')
  expect(card.skills[0]?.description).toBe('Talks Fields of its input: topic.')
  expect(card.capabilities.pushNotifications).toBe(true)
})

test.each<[Record<string, string>, string]>([
  [{ host: 'agent:8000' }, 'http://agent:8000'],
  [{ host: '[::1]:8000' }, 'http://[::1]:8000'],
  [{}, 'http://localhost'],
  [{ host: 'bad host' }, 'http://localhost'],
  [{ host: '<a>' }, 'http://localhost'],
  [{ host: 'a', 'x-forwarded-host': 'public.example, inner' }, 'http://public.example'],
  [{ host: 'a', 'x-forwarded-host': 'x/y' }, 'http://a'],
  [{ host: 'a', 'x-forwarded-host': '"x' }, 'http://a'],
  [{ host: 'a', 'x-forwarded-proto': 'https' }, 'https://a'],
  [{ host: 'a', 'x-forwarded-proto': 'https , http' }, 'https://a'],
  [{ host: 'a', 'x-forwarded-proto': 'javascript' }, 'http://a'],
  [{ host: 'a', 'x-forwarded-prefix': '/agents/d-1.2_x~y' }, 'http://a/agents/d-1.2_x~y'],
  [{ host: 'a', 'x-forwarded-prefix': 'agents' }, 'http://a'],
  [{ host: 'a', 'x-forwarded-prefix': '/agents"><script>' }, 'http://a'],
  [{ host: 'a', 'x-forwarded-prefix': '"/agents' }, 'http://a'],
  [{ host: 'a', 'x-forwarded-prefix': '/agents/' }, 'http://a'],
])('the address for the headers %j is %s', (headers, address) => {
  expect(publicBase(new Headers(headers))).toBe(address)
})
