import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { encodeMessage, type Message, MessageReader } from './messages'

const id = () => fc.uuid()
const word = () => fc.nat()
const message: fc.Arbitrary<Message> = fc.oneof(
  fc.record({ kind: fc.constant('hello' as const), instance: word() }),
  fc.record({ kind: fc.constant('want' as const), id: id(), last: word() }),
  fc.record({ kind: fc.constant('drop' as const), id: id() }),
  fc.record({
    ...{ kind: fc.constant('chunk' as const), id: id(), epoch: word(), stored: word() },
    chunk: fc.record({ first: word(), last: word(), bytes: fc.uint8Array().map((bytes) => Buffer.from(bytes)) }),
  }),
)

test('messages arrive as they were sent, however the stream is cut into pieces', () => {
  fc.assert(
    fc.property(fc.array(message), fc.array(fc.integer({ min: 1, max: 90 })), (sent, sizes) => {
      const bytes = Buffer.concat(sent.flatMap(encodeMessage))
      const reader = new MessageReader()
      const read: Message[] = []
      for (let at = 0, turn = 0; at < bytes.length; turn++) {
        const size = sizes[turn % sizes.length] ?? bytes.length
        read.push(...reader.take(bytes.subarray(at, at + size)))
        at += size
      }
      expect(read).toEqual(sent)
    }),
  )
})

test('a large chunk in many pieces is joined once', () => {
  const chunk = { first: 1, last: 1, bytes: Buffer.alloc(8 * 1024 * 1024, 'x') }
  const sent: Message = { kind: 'chunk', id: randomUUID(), epoch: 0, stored: 0, chunk }
  const bytes = Buffer.concat(encodeMessage(sent))
  const reader = new MessageReader()
  const read: Message[] = []
  for (let at = 0; at < bytes.length; at += 1000) read.push(...reader.take(bytes.subarray(at, at + 1000)))
  const [got] = read
  expect(read.length === 1 && got?.kind === 'chunk' && got.chunk.bytes.equals(chunk.bytes)).toBe(true)
})

test('what is no message is refused', () => {
  expect(() => new MessageReader().take(Buffer.from([0, 0, 0, 1, 9]))).toThrow('something unknown')
})
