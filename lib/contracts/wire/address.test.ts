import { expect, test } from 'vitest'
import { type AddressRange, classifyAddress, isLoopback, mayConnect, parseAddress, parseRange } from './address'

test.each([
  ['8.8.8.8', 'public'],
  ['2606:4700::1', 'public'],
  ['[2606:4700::1]', 'public'],
  ['64:ff9b::808:808', 'public'],
  ['127.0.0.1', 'private'],
  ['::1', 'private'],
  ['::ffff:127.0.0.1', 'private'],
  ['10.1.2.3', 'private'],
  ['172.16.0.1', 'private'],
  ['192.168.1.1', 'private'],
  ['100.64.0.1', 'private'],
  ['fd00::1', 'private'],
  ['fd00::1%eth0', 'private'],
  // Metadata services, in ranges that would otherwise be private or public.
  ['100.100.100.200', 'never'],
  ['168.63.129.16', 'never'],
  ['192.0.0.192', 'never'],
  ['fd00:ec2::254', 'never'],
  ['fd20:ce::254', 'never'],
  ['169.254.169.254', 'never'],
  ['64:ff9b::7f00:1', 'never'],
  ['64:ff9b::a00:1', 'never'],
  ['2002:7f00:1::', 'never'],
  ['::7f00:1', 'never'],
  ['4000::1', 'never'],
  ['224.0.0.1', 'never'],
  ['0.0.0.0', 'never'],
  ['::', 'never'],
  ['ff02::1', 'never'],
  ['fe80::1', 'never'],
  ['example.com', 'never'],
  ['', 'never'],
])('%s is %s', (text, kind) => {
  expect(classifyAddress(text)).toBe(kind)
})

test('an address is read without brackets and zone, and nothing else is one', () => {
  expect(parseAddress('[fe80::1%eth0]')?.toString()).toBe('fe80::1')
  expect(parseAddress('::ffff:7f00:1')?.toString()).toBe('127.0.0.1')
  for (const text of ['1.2.3', '127.1', '0x7f.0.0.1', 'a[::1]', 'localhost', '::1]x'])
    expect(parseAddress(text)).toBeUndefined()
})

test.each([
  ['localhost', true],
  ['LOCALHOST', true],
  ['127.0.0.2', true],
  ['[::1]', true],
  ['::ffff:127.0.0.1', true],
  ['10.0.0.1', false],
  ['localhost.example.com', false],
  ['', false],
])('%s reaches this machine only: %j', (host, is) => {
  expect(isLoopback(host)).toBe(is)
})

const range = (text: string) => parseRange(text) as AddressRange

test.each([
  ['8.8.8.8', 'open', [], true],
  ['8.8.8.8', 'listed', [], true],
  ['8.8.8.8', 'ranges', [], false],
  ['8.8.8.8', 'ranges', ['8.8.0.0/16'], true],
  ['10.0.0.1', 'open', [], false],
  ['10.0.0.1', 'listed', [], true],
  ['10.0.0.1', 'ranges', [], false],
  ['10.0.0.1', 'open', ['10.0.0.0/8'], true],
  ['10.0.0.1', 'open', ['fd00::/8', '10.0.0.1'], true],
  ['10.0.0.1', 'open', ['10.0.0.2'], false],
  ['fd00::1', 'open', ['10.0.0.0/8'], false],
  ['fd00::1', 'open', ['fd00::/8'], true],
  ['fd00::1', 'open', ['fd00::1'], true],
  ['fd00::1', 'open', ['fd00::2'], false],
  ['169.254.169.254', 'listed', [], false],
  ['169.254.169.254', 'open', ['169.254.0.0/16'], true],
  ['example.com', 'listed', ['0.0.0.0/0', '::/0'], false],
] as const)('%s may be connected to as %s with the ranges %j: %j', (text, reach, ranges, may) => {
  expect(mayConnect(text, reach, ranges.map(range))).toBe(may)
})

test('a range is one address or has a length, and nothing else is one', () => {
  expect(range('10.0.0.0/8')[1]).toBe(8)
  expect(range('10.0.0.1')[1]).toBe(32)
  expect(range('fd00::1')[1]).toBe(128)
  for (const text of ['', '10.0.0.0/33', 'example.com', '10/8/1', '10.0.0.0/']) expect(parseRange(text)).toBeUndefined()
})
