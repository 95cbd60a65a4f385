import { expect, test } from 'vitest'
import { formatOfBlocks, TRACE_FORMATS } from './formats'

const rows = Object.values(TRACE_FORMATS)

test.each(['metadataNames', 'integrations', 'blocks'] as const)('no two formats claim the same %s', (key) => {
  const all = rows.flatMap((row): readonly string[] => row[key])
  expect(all).toEqual([...new Set(all)])
})

test('blocks determine the format; if several match, the first in the table is used', () => {
  expect(formatOfBlocks(['text', 'output_text'])).toBe('responses')
  expect(formatOfBlocks(['image_url', 'tool_use'])).toBe('anthropic')
  expect(formatOfBlocks(['text', ''])).toBeUndefined()
})
