import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { BLOCK_EXAMPLES, type BlockExample } from '@/lib/traces/examples'
import { readRun } from '@/lib/traces/read-run'
import { MessageList } from './message-list'
import { shownMessages } from './shown-messages'

// Renders each block type of each format, valid and with each key broken, between two texts that must survive.

const BEFORE = { type: 'text', text: 'Said before' }
const AFTER = { type: 'text', text: 'Said after' }

/** The block with one key missing, of another type, empty or deeply nested. */
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
  renderToStaticMarkup(createElement(MessageList, { messages: shownMessages(read(...blocks)), isWhole: true }))

test.each(BLOCK_EXAMPLES.map((one, index) => [`${one.format} ${one.type} (${index})`, one] as const))(
  '%s is rendered, and a broken key affects no other block',
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
    // Nothing is loaded, and nothing becomes markup.
    expect(html).not.toMatch(/<svg onload|src="(?!data:|blob:)/)
  },
)
