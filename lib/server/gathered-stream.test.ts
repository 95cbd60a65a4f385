import { PassThrough, Readable } from 'node:stream'
import { setTimeout } from 'node:timers/promises'
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
  expect((await reader.read()).done).toBe(true)
  expect(done).toHaveBeenCalledTimes(1)
})

test('what waits in the kernel while nobody reads comes with the next read, not one read later', async () => {
  // Like a socket that holds back: it goes on in the turn after it was read.
  const kernel: string[] = []
  let isAsked = false
  const give = () => {
    const all = kernel.splice(0).join('')
    isAsked = all === ''
    if (all) body.push(all)
  }
  const body = new Readable({
    highWaterMark: 1,
    read() {
      isAsked = true
      setImmediate(give)
    },
  })
  const send = (text: string) => {
    kernel.push(text)
    if (isAsked) give()
  }
  const reader = gatheredStream(body, () => {}).getReader()
  const first = reader.read()
  await setTimeout(5)
  send('a')
  expect(text((await first).value)).toBe('a')
  await setTimeout(5)
  for (const one of ['b', 'c', 'd']) send(one)
  await setTimeout(5)
  expect(text((await reader.read()).value)).toBe('bcd')
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
