import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { readLines } from '../kernel/lines'
import { createMask } from './mask'

test('a value is hidden anywhere: within a word, in JSON, in a URL', () => {
  const mask = createMask(['s3cret/"value"'])
  for (const line of [
    'xs3cret/"value"x',
    JSON.stringify({ a: 's3cret/"value"' }),
    `?a=${encodeURIComponent('s3cret/"value"')}`,
  ])
    expect([line, mask(line)]).toEqual([line, expect.stringMatching(/••••/)])
  expect(mask(JSON.stringify({ a: 's3cret/"value"' }))).toBe('{"a":"••••"}')
})

test('each line of a multi-line value is hidden, and so is the whole value on one line', () => {
  const key = '-----BEGIN KEY-----\r\nMIIBVwIBADAN\r\n  indented-part\r\n-----END KEY-----\r\n'
  const mask = createMask([key])
  expect(key.split('\r\n').map(mask)).toEqual(['••••', '••••', '  ••••', '••••', ''])
  expect(mask(JSON.stringify(key))).toBe('"••••"')
})

test('a value of two or three characters is hidden as a whole word, never within a word', () => {
  const mask = createMask(['no', '$9', '1'])
  expect(mask('ANSWER=no, none, "no", piano')).toBe('ANSWER=••••, none, "••••", piano')
  expect([mask('paid $9.'), mask('paid $95'), mask('1 graph')]).toEqual(['paid ••••.', 'paid $95', '1 graph'])
})

test('a value that contains another is hidden as a whole', () => {
  expect(createMask(['abcd', 'abcd-efgh'])('abcd-efgh abcd')).toBe('•••• ••••')
})

test('a value split across two chunks of output is hidden, wherever the split is', async () => {
  const [value, mask] = ['tell-☃-nobody', createMask(['tell-☃-nobody'])]
  const bytes = Buffer.from(`say ${value} now\n`)
  for (let at = 1; at < bytes.length; at += 1)
    expect(await read([bytes.subarray(0, at), bytes.subarray(at)], mask)).toEqual(['say •••• now'])
})

test('truncating a long line never exposes part of a value at the cut', async () => {
  const value = 'tell-nobody-about-this'
  const mask = createMask([value])
  for (const before of [63_980, 63_990, 64_010]) {
    const lines = await read([Buffer.from(`${'.'.repeat(before)}${value}${'.'.repeat(70_000)}\nnext\n`)], mask)
    expect(lines.at(-1)).toBe('next')
    expect(lines.join('\n')).not.toMatch(/tell|this/)
  }
})

async function read(chunks: Buffer[], mask: (line: string) => string): Promise<string[]> {
  const lines: string[] = []
  const stream = Readable.from(chunks)
  readLines(stream, (line) => lines.push(mask(line)))
  await new Promise((resolve) => stream.once('end', resolve))
  return lines
}
