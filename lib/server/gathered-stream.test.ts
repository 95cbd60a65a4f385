import { PassThrough } from 'node:stream'
import { expect, test, vi } from 'vitest'
import { gatheredStream } from './gathered-stream'

const text = (bytes: Uint8Array | undefined) => Buffer.from(bytes ?? []).toString()

test('all that came since the last read is one piece; the end follows it, and is told once', async () => {
  const body = new PassThrough()
  const done = vi.fn()
  const reader = gatheredStream(body, done).getReader()
  for (let n = 0; n < 100; n++) body.write(`${n},`)
  const first = await reader.read()
  expect(text(first.value)).toBe(Array.from({ length: 100 }, (_, n) => `${n},`).join(''))
  const waiting = reader.read()
  body.write('late')
  expect(text((await waiting).value)).toBe('late')
  body.end('rest')
  expect(text((await reader.read()).value)).toBe('rest')
  expect(done).not.toHaveBeenCalled()
  expect((await reader.read()).done).toBe(true)
  expect(done).toHaveBeenCalledTimes(1)
})

test('a stream that breaks is an error to its reader, never an end', async () => {
  const body = new PassThrough()
  const done = vi.fn()
  const reader = gatheredStream(body, done).getReader()
  body.write('a')
  expect(text((await reader.read()).value)).toBe('a')
  const waiting = reader.read()
  body.destroy(new Error('reset'))
  await expect(waiting).rejects.toThrow('reset')
  expect(done).toHaveBeenCalledTimes(1)
})

test('a reader that leaves ends the stream behind it', async () => {
  const body = new PassThrough()
  const done = vi.fn()
  const reader = gatheredStream(body, done).getReader()
  body.write('a')
  await reader.read()
  await reader.cancel()
  expect(body.destroyed).toBe(true)
  expect(done).toHaveBeenCalledTimes(1)
})
