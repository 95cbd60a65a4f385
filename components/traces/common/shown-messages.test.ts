import { expect, test } from 'vitest'
import { messageItems } from '@/components/shared/message/message-items'
import { BLOCK_EXAMPLES } from '@/lib/traces/examples'
import { inMessage } from '@/lib/traces/logged-runs'
import { readRun } from '@/lib/traces/read-run'
import { shownMessages } from './shown-messages'

const shown = (run: object) => {
  const { inputs, outputs } = readRun(run)
  return shownMessages([...(inputs ?? []), ...(outputs ?? [])])
}

test.each(BLOCK_EXAMPLES.map((one) => [`${one.format} ${one.type}`, one] as const))(
  'a %s is recognized and shown',
  (_, { block }) => {
    const messages = shown(inMessage(block))
    const parts = messages.flatMap((one) => [...one.parts, ...one.toolCalls])
    expect(parts.length).toBeGreaterThan(0)
    expect(JSON.stringify(parts)).not.toContain('Not read')
  },
)

test('an unknown block is shown as JSON between its neighbours', () => {
  const content = [
    { type: 'text', text: 'Before' },
    { type: 'hologram', beam: 7 },
    { type: 'text', text: 'After' },
  ]
  const [message] = shown({ inputs: { messages: [{ role: 'user', content }] } })
  expect(message?.parts).toEqual([
    { kind: 'text', text: 'Before' },
    { kind: 'block', block: { type: 'Not read: No block of type "hologram" is known', value: content[1] } },
    { kind: 'text', text: 'After' },
  ])
})

test('a tool result inside a user message is matched with its call', () => {
  const messages = shown({
    inputs: {
      messages: [
        { role: 'assistant', content: [{ type: 'tool_use', id: 'c', name: 'add', input: { a: 1 } }] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c', content: '3', is_error: true }] },
        { role: 'user', content: 'Thanks' },
      ],
    },
  })
  const items = messageItems(messages)
  expect(items.map(({ message }) => message.role)).toEqual(['ai', 'human'])
  expect(items[0]?.results.get('c')).toMatchObject({ toolStatus: 'error', parts: [{ kind: 'text', text: '3' }] })
})

test('media keep their address, data or id, and are not loaded', () => {
  const content = [
    { type: 'image', url: 'https://example.com/a.png' },
    { type: 'audio', base64: 'AAAA', mime_type: 'audio/wav' },
    { type: 'file', id: 'media-1' },
    { type: 'video', url: 'https://example.com/a.mp4' },
    { type: 'video', base64: '!', mime_type: 'video/mp4' },
  ]
  const [message] = shown({ inputs: { messages: [{ role: 'user', content }] } })
  expect(message?.parts.map((part) => part.kind === 'block' && part.block)).toEqual([
    ...content,
    { type: 'Partly read: The data is not base64', value: content.at(-1) },
  ])
})
