import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { BLOCK_EXAMPLES, type BlockExample } from '@/lib/traces/examples'
import { readRun } from '@/lib/traces/read-run'
import { MessageList } from './message-list'

// The corpus: each block type of each format as it should be, and spoilt in every key, between two texts that must stay.

const BEFORE = { type: 'text', text: 'Said before' }
const AFTER = { type: 'text', text: 'Said after' }

/** Each way in which one key of a block can be wrong: gone, of another type, empty, nested without end. */
function* spoilt({ block }: BlockExample): Generator<Record<string, unknown>> {
  let deep: unknown = 'end'
  for (let n = 0; n < 130; n++) deep = { deep }
  for (const key of Object.keys(block)) {
    const { [key]: _, ...rest } = block
    yield rest
    for (const value of [7, null, '', 'not base64 <svg onload=x>', [], {}, [null], deep])
      yield { ...rest, [key]: value }
  }
}

const read = (...blocks: unknown[]) =>
  readRun({ inputs: { messages: [{ role: 'assistant', content: [BEFORE, ...blocks, AFTER] }] } }).inputs ?? []
const shown = (...blocks: unknown[]) =>
  renderToStaticMarkup(createElement(MessageList, { messages: read(...blocks), isWhole: true }))

test.each(BLOCK_EXAMPLES.map((one, index) => [`${one.format} ${one.type} (${index})`, one] as const))(
  '%s is shown as what it is, and spoilt in any key degrades nothing but itself',
  (_, example) => {
    expect(shown(example.block)).not.toContain('Not read')
    const broken = [...spoilt(example)]
    for (const block of broken) {
      const [message, ...others] = read(block)
      expect(others).toEqual([])
      expect([message?.blocks.at(0), message?.blocks.at(-1)]).toMatchObject([BEFORE, AFTER])
      expect(message?.blocks[1]?.places[0]?.raw).toBe(block)
    }
    const html = shown(...broken)
    for (const { text } of [BEFORE, AFTER]) expect(html).toContain(text)
    // Nothing of it is loaded, and nothing of it is markup.
    expect(html).not.toMatch(/<svg onload|src="(?!data:|blob:)/)
  },
)
