// @vitest-environment jsdom
import { HumanMessage } from '@langchain/core/messages'
import { expect, test } from 'vitest'
import { inlineDataOf } from '@/components/shared/message/inline-data'
import { blockOf, MOST_BYTES, readAttachment, takesFiles, whyNotAdd } from './attachments'

const file = (name: string, type: string, text = 'hi') => new File([text], name, { type })
const read = (name: string, type: string) => readAttachment(file(name, type), 'id')

test('a file becomes the block that the runtime reads, with its name', async () => {
  const picture = await read('boat.png', 'image/png')
  const block = blockOf(picture, undefined)
  expect(block).toEqual({
    type: 'image',
    source_type: 'base64',
    data: btoa('hi'),
    mime_type: 'image/png',
    metadata: { filename: 'boat.png' },
  })
  expect(new HumanMessage({ content: [block as never] }).contentBlocks).toMatchObject([
    { type: 'image', mimeType: 'image/png', data: btoa('hi') },
  ])
  expect(blockOf(await read('a.svg', 'image/svg+xml'), undefined)).toMatchObject({ type: 'file' })
  expect(blockOf(await read('a.wav', 'audio/wav'), undefined)).toMatchObject({ type: 'audio' })
  const other = blockOf(await read('notes', ''), undefined)
  expect(other).toMatchObject({ type: 'file', mime_type: 'application/octet-stream' })
  expect(inlineDataOf(other)?.name).toBe('notes')
})

const blocks = (...items: object[]) => ({
  properties: { messages: { type: 'array', items: { $ref: '#/$defs/M' } } },
  $defs: {
    M: {
      properties: { type: { const: 'human' }, content: { anyOf: [{ type: 'string' }, { items: { anyOf: items } }] } },
    },
  },
})

test.each([
  ['base64', blocks({ properties: { type: { const: 'image' }, base64: {}, mime_type: {} } }), { base64: btoa('hi') }],
  [
    'camel case',
    blocks({ properties: { type: { enum: ['image'] }, data: {}, mimeType: {} } }),
    { mimeType: 'image/png' },
  ],
  ['older image parts', blocks({ properties: { type: { const: 'image_url' }, image_url: {} } }), { type: 'image_url' }],
  ['no blocks', blocks({ type: 'object' }), { source_type: 'base64' }],
])('a schema with %s gets that form', async (_name, schema, part) => {
  expect(blockOf(await read('boat.png', 'image/png'), schema)).toMatchObject(part)
  expect(takesFiles(schema)).toBe(true)
})

test('a graph whose messages are text takes no files', () => {
  const content = { type: 'string' }
  expect(takesFiles({ properties: { messages: { items: { properties: { role: {}, content } } } } })).toBe(false)
  expect(takesFiles({ properties: { messages: { items: { properties: { role: {}, content: {} } } } } })).toBe(true)
  expect(takesFiles(undefined)).toBe(true)
})

test('files are limited in size and number', () => {
  const big = new File([new Uint8Array(MOST_BYTES + 1)], 'big.bin')
  expect(whyNotAdd([], [big])).toBe('big.bin is larger than 5 MB.')
  expect(whyNotAdd([{ size: MOST_BYTES }], [file('a', '')])).toBe('Together the files are larger than 5 MB.')
  expect(
    whyNotAdd(
      [],
      Array.from({ length: 11 }, () => file('a', '')),
    ),
  ).toBe('A message takes up to 10 files.')
  expect(whyNotAdd([], [file('void', '', '')])).toBe('void is empty, or a folder.')
  expect(whyNotAdd([], [file('a', '')])).toBeUndefined()
})
