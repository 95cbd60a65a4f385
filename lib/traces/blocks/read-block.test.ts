import { describe, expect, test } from 'vitest'
import { BLOCK_EXAMPLES } from '../examples'
import { readBlock } from './read-block'

describe('blocks', () => {
  test.each(BLOCK_EXAMPLES.map((one) => [`${one.format} ${one.type}`, one] as const))(
    'a valid %s is read without problems, and keeps itself',
    (_, { block, reads }) => {
      const read = readBlock(block, 'content[0]')
      expect(read).toMatchObject({ type: reads, flaws: [], places: [{ path: 'content[0]', raw: block }] })
    },
  )

  test.each<[string, unknown, string]>([
    ['no object', 7, 'A block is an object, not a number'],
    ['nothing', null, 'A block is an object, not null'],
    ['no type', {}, 'type is missing'],
    ['a type that is no text', { type: 1 }, 'type is a number, not text'],
    ['an unknown type', { type: 'hologram' }, 'No block of type "hologram" is known'],
    ['a key of every object as its type', { type: 'constructor' }, 'No block of type "constructor" is known'],
    ['text without text', { type: 'text' }, 'text is missing'],
    ['text that is a number', { type: 'text', text: 5 }, 'text is a number, not text'],
    ['reasoning without text', { type: 'reasoning' }, 'text is missing'],
    ['an image from nowhere', { type: 'image', mime_type: 'image/png' }, 'The image has no url, no base64 and no id'],
    [
      'an image of an empty address',
      { type: 'image_url', image_url: { url: '' } },
      'The image has no url, no base64 and no id',
    ],
    ['a refusal without words', { type: 'refusal' }, 'refusal is missing'],
    ['a function that is text', { type: 'function', function: 'add' }, 'function is a string'],
  ])('%s stays raw with a reason', (_, block, reason) => {
    const read = readBlock(block, 'at')
    expect(read).toEqual({ type: 'raw', reason, places: [{ path: 'at', raw: block }], flaws: [{ path: 'at', reason }] })
  })

  test.each<[string, Record<string, unknown>, string, string, RegExp]>([
    ['base64 that is none', { type: 'image', base64: '<svg/>' }, 'image', 'base64', /not base64/],
    ['a sound that breaks off', { type: 'audio', base64: 'UklGRiQ=A' }, 'audio', 'base64', /after its end/],
    ['half a film', { type: 'video', base64: 'AAAAA' }, 'video', 'base64', /truncated/],
    ['a file of nothing', { type: 'file', base64: '==' }, 'file', 'base64', /empty/],
    ['half an address', { type: 'image', url: 'picture.png' }, 'image', 'url', /not a complete URL/],
    ['a tool call without arguments', { type: 'tool_call', name: 'add' }, 'tool_call', 'args', /missing/],
    ['a tool call without a name', { type: 'tool_call', args: {} }, 'tool_call', 'name', /missing/],
    [
      'arguments that break off',
      { type: 'function_call', name: 'a', call_id: 'c', arguments: '{"a"' },
      'tool_call',
      'arguments',
      /not JSON/,
    ],
    [
      'a server tool call without an id',
      { type: 'server_tool_call', name: 'a', args: {} },
      'server_tool_call',
      'id',
      /missing/,
    ],
    [
      'an unknown status',
      { type: 'server_tool_result', tool_call_id: 's', status: 'so so' },
      'server_tool_result',
      'status',
      /neither/,
    ],
    ['a result of nothing', { type: 'tool_result', content: 'a' }, 'tool_result', 'tool_use_id', /missing/],
  ])('%s is shown with its problem', (_, block, type, key, reason) => {
    const read = readBlock(block, 'at')
    expect(read.type).toBe(type)
    expect(read.flaws).toEqual([{ path: `at.${key}`, reason: expect.stringMatching(reason) }])
  })

  test('a data address is base64 in any position, and keeps its type', () => {
    for (const block of [
      { type: 'image', url: 'data:image/gif;base64,AAAA' },
      { type: 'image', base64: 'data:image/gif;base64,AAAA' },
      { type: 'image_url', image_url: 'data:image/gif;charset=x;base64,AAAA' },
    ])
      expect(readBlock(block, 'at')).toMatchObject({
        type: 'image',
        source: { from: 'base64', base64: 'AAAA' },
        mimeType: 'image/gif',
        flaws: [],
      })
  })

  test('nested results are read to a limited depth without overflow', () => {
    let block: unknown = { type: 'text', text: 'deep' }
    for (let n = 0; n < 5000; n++) block = { type: 'tool_result', tool_use_id: 'a', content: [block] }
    expect(readBlock(block, 'at').type).toBe('tool_result')
  })
})
