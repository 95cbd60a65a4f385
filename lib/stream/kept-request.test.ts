import { expect, test } from 'vitest'
import { kept } from './kept-request'

test('a continuing run keeps how it is streamed and configured, never its input, headers or place', () => {
  const settings = { context: { user: 'a' }, interrupt_before: ['x'], stream_mode: ['values'], stream_subgraphs: false }
  expect(
    kept({
      ...settings,
      ...{ input: { secret: 1 }, command: {}, interrupt_after: null, durability: undefined },
      config: { tags: ['t'], recursion_limit: null, configurable: { checkpoint_id: 'c' } },
    }),
  ).toEqual({ ...settings, config: { tags: ['t'] } })
  expect(kept({ config: { recursion_limit: 5, metadata: {} } })).toEqual({ config: { recursion_limit: 5 } })
  expect(kept({ config: { configurable: {} } })).toEqual({})
  expect(kept({ config: 'text' })).toEqual({})
})
