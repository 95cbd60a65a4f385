import type { Snippet } from '@/components/shared/layout/snippets'
import { KEY_VARIABLE, shell } from '@/lib/format/format'

const post = (url: string, accept: string, body: object) =>
  [
    `curl ${shell(url)} \\`,
    `  -H "X-Api-Key: $${KEY_VARIABLE}" \\`,
    `  -H ${shell('Content-Type: application/json')} \\`,
    `  -H ${shell(`Accept: ${accept}`)} \\`,
    `  -d ${shell(JSON.stringify({ jsonrpc: '2.0', id: 1, ...body }))}`,
  ].join('\n')

export const mcpSnippets = (url: string): Snippet[] => [
  {
    label: 'Client configuration',
    text: JSON.stringify(
      { mcpServers: { agent: { type: 'http', url, headers: { 'X-Api-Key': `\${${KEY_VARIABLE}}` } } } },
      null,
      2,
    ),
  },
  { label: 'curl', text: post(url, 'application/json, text/event-stream', { method: 'tools/list' }) },
]

export const a2aSnippets = (url: string, card: string): Snippet[] => [
  {
    label: 'curl: send a message',
    text: post(url, 'application/json', {
      method: 'message/send',
      params: {
        message: { kind: 'message', role: 'user', messageId: 'message-1', parts: [{ kind: 'text', text: 'Hello' }] },
      },
    }),
  },
  { label: 'curl: get the agent card', text: `curl ${shell(card)} -H "X-Api-Key: $${KEY_VARIABLE}"` },
]
