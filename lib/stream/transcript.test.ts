import { describe, expect, test } from 'vitest'
import { messageText, type Origin } from './messages'
import { Transcript } from './transcript'
import { readMessage } from './wire/wire-message'

const from = (seq: number, more: Partial<Origin> = {}): Origin => ({
  ...{ namespace: [], node: undefined, attempt: 1, seq, at: seq * 10 },
  ...more,
})
const wire = (value: object) => readMessage(value) ?? expect.unreachable()
const ai = (id: string | undefined, content: string, more: object = {}) => ({ type: 'ai', id, content, ...more })
const chunk = (id: string | undefined, content: string, more = {}) => ({
  ...ai(id, content, more),
  type: 'AIMessageChunk',
})
const words = (transcript: Transcript) =>
  transcript.messages.map((message) => `${messageText(message)}${message.isRemoved ? ' (removed)' : ''}`)

describe('messages without an id', () => {
  test('join by node and task while they are chunks', () => {
    const transcript = new Transcript()
    const inner = { node: 'a', namespace: [{ node: 'sub', task: '1' }] }
    transcript.stream(wire(chunk(undefined, 'He')), from(1, { node: 'a' }))
    transcript.stream(wire(chunk(undefined, 'x')), from(2, { node: 'b' }))
    transcript.stream(wire(chunk(undefined, 'y')), from(3, inner))
    transcript.stream(wire(chunk(undefined, 'llo')), from(4, { node: 'a' }))
    transcript.stream(wire(chunk(undefined, 'z')), from(5, { ...inner, namespace: [{ node: 'sub', task: '2' }] }))
    expect(words(transcript)).toEqual(['Hello', 'x', 'y', 'z'])
  })

  test('stand alone when they are whole, and end the chunks before them', () => {
    const transcript = new Transcript()
    transcript.stream(wire(chunk(undefined, 'a')), from(1))
    transcript.stream(wire(ai(undefined, 'b')), from(2))
    transcript.stream(wire(ai(undefined, 'b')), from(3))
    transcript.stream(wire(chunk(undefined, 'c')), from(4))
    expect(words(transcript)).toEqual(['a', 'b', 'b', 'c'])
  })

  test('are not continued once a state has completed them', () => {
    const transcript = new Transcript()
    transcript.stream(wire(chunk(undefined, 'a')), from(1))
    transcript.reconcile([ai('s', 'a')], from(2), true)
    transcript.stream(wire(chunk(undefined, 'b')), from(3))
    expect(words(transcript)).toEqual(['a', 'b'])
  })

  test('of a state stand at their place in it', () => {
    const transcript = new Transcript()
    transcript.reconcile({ messages: [ai(undefined, 'a'), ai(undefined, 'b')] }, from(1), false)
    transcript.reconcile({ messages: [ai(undefined, 'a'), ai(undefined, 'c')] }, from(2), false)
    expect(words(transcript)).toEqual(['a', 'c'])
  })
})

test('a message of a state has no place in the stream until the stream has it too', () => {
  const transcript = new Transcript()
  transcript.reconcile([ai('a', 'one')], from(5), false)
  expect(transcript.byKey('a')).toMatchObject({ firstSeq: 0, isComplete: true })
  transcript.stream(wire(ai('a', 'one!')), from(7, { node: 'agent' }))
  expect(transcript.byKey('a')).toMatchObject({ firstSeq: 7, firstAt: 70, lastSeq: 7, lastAt: 70, node: 'agent' })
  transcript.stream(wire(ai('a', 'one?')), from(8, { node: 'other' }))
  expect(transcript.byKey('a')).toMatchObject({ firstSeq: 7, firstAt: 70, lastSeq: 8, node: 'agent' })
})

test('what only the stream had stands between the state’s messages by time', () => {
  const transcript = new Transcript()
  for (const [index, id] of ['a', 'aside', 'b', 'end'].entries()) transcript.stream(wire(ai(id, id)), from(index + 1))
  transcript.reconcile([ai('old', 'old'), ai('a', 'a'), ai('b', 'b')], from(9), false)
  expect(words(transcript)).toEqual(['old', 'a', 'aside', 'b', 'end'])
  // Added at the end without another sort.
  transcript.stream(wire(ai('last', 'last')), from(10))
  expect(words(transcript)).toEqual(['old', 'a', 'aside', 'b', 'end', 'last'])
})

test('a node that is told apart does not replace the known one', () => {
  const transcript = new Transcript()
  transcript.stream(wire(ai('a', 'x')), from(1))
  transcript.place('a', 'agent')
  transcript.place('a', 'other')
  transcript.place('unknown', 'agent')
  expect(transcript.messages.map(({ node }) => node)).toEqual(['agent'])
})

test('messages are removed one by one or all at once, and each removal is a new version', () => {
  const transcript = new Transcript()
  for (const id of ['a', 'b', 'c']) transcript.stream(wire(ai(id, id)), from(1))
  const { version } = transcript
  transcript.stream(wire({ type: 'remove', id: 'a' }), from(2))
  transcript.stream(wire({ type: 'remove', id: 'unknown' }), from(2))
  expect(words(transcript)).toEqual(['a (removed)', 'b', 'c'])
  expect(transcript.version).toBeGreaterThan(version)
  transcript.stream(wire({ type: 'remove', id: '__remove_all__' }), from(3))
  expect(words(transcript)).toEqual(['a (removed)', 'b (removed)', 'c (removed)'])
  transcript.reconcile([ai('b', 'b')], from(4), false)
  expect(transcript.byKey('b')?.isRemoved).toBe(false)
})

test('tokens are counted once, by the newest count of each message', () => {
  const transcript = new Transcript()
  const usage = (input: number, output: number, total?: number) => ({
    usage_metadata: { input_tokens: input, output_tokens: output, total_tokens: total },
  })
  transcript.stream(wire(chunk('a', 'x', usage(3, 1))), from(1))
  transcript.stream(wire(chunk('a', 'y', usage(0, 2, 5))), from(2))
  expect(transcript.usage).toEqual({ input: 3, output: 3, total: 9 })
  transcript.stream(wire(ai('a', 'xy', usage(4, 4))), from(3))
  expect(transcript.usage).toEqual({ input: 4, output: 4, total: 8 })
  transcript.reconcile([ai('a', 'xy', usage(5, 5)), ai('b', 'other', usage(9, 9))], from(4), false)
  expect(transcript.usage).toEqual({ input: 5, output: 5, total: 10 })
  transcript.reconcile([ai('a', 'xy')], from(5), true)
  expect(transcript.usage).toEqual({ input: 5, output: 5, total: 10 })
})

test('a state that is no list of messages changes nothing', () => {
  const transcript = new Transcript()
  transcript.stream(wire(ai('a', 'x')), from(1))
  for (const values of [null, 'text', {}, { messages: 'text' }, [ai('b', 'y'), 'text']]) {
    const { version } = transcript
    transcript.reconcile(values, from(2), true)
    expect([words(transcript), transcript.version]).toEqual([['x'], version])
  }
})

test('a retried attempt writes its message again; what it leaves out is removed at the end, except in subgraphs', () => {
  const transcript = new Transcript()
  transcript.stream(wire(chunk('a', 'old')), from(1))
  transcript.stream(wire(chunk('b', 'lost')), from(2))
  transcript.stream(wire(chunk('c', 'inner')), from(3, { namespace: [{ node: 'sub', task: '1' }] }))
  transcript.stream(wire(chunk('a', 'new')), from(4, { attempt: 2 }))
  transcript.stream(wire(chunk('d', 'aside')), from(5, { attempt: 2 }))
  expect(words(transcript)).toEqual(['new', 'lost', 'inner', 'aside'])
  transcript.reconcile([ai('a', 'new')], from(6, { attempt: 2 }), true)
  expect(words(transcript)).toEqual(['new', 'lost (removed)', 'inner', 'aside'])
  expect(transcript.messages.every(({ isComplete }) => isComplete)).toBe(true)
})

test('twins are found by role, call and content', () => {
  const transcript = new Transcript()
  const image = [{ type: 'image', url: 'x' }]
  transcript.stream(wire({ type: 'tool', id: 's1', tool_call_id: 'c1', content: 'ok' }), from(1, { node: 'one' }))
  transcript.stream(wire({ type: 'tool', id: 's2', tool_call_id: 'c2', content: 'ok' }), from(2, { node: 'two' }))
  transcript.stream(wire({ type: 'human', id: 's3', content: 'ok' }), from(3, { node: 'three' }))
  transcript.stream(wire({ type: 'ai', id: 's4', content: image }), from(4, { node: 'four' }))
  transcript.reconcile(
    [
      { type: 'tool', id: 't2', tool_call_id: 'c2', content: 'other' },
      { type: 'ai', id: 't4', content: image },
      { type: 'ai', id: 't5', content: 'ok' },
    ],
    from(5),
    false,
  )
  expect(['t2', 't4', 't5'].map((id) => transcript.byKey(id)?.node)).toEqual(['two', 'four', undefined])
})

test('a message that the state has under its own id is nobody’s twin', () => {
  const transcript = new Transcript()
  transcript.stream(wire(ai('a', 'ok')), from(1, { node: 'agent' }))
  transcript.reconcile([ai('b', 'ok'), ai('a', 'ok')], from(2, { attempt: 2 }), false)
  expect(transcript.messages.map(({ id, node, attempt }) => [id, node, attempt])).toEqual([
    ['b', undefined, 2],
    ['a', 'agent', 1],
  ])
})
