import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { log } from './log'

vi.unmock('./log')

let written: string[]
beforeEach(() => {
  written = []
  for (const stream of [process.stdout, process.stderr])
    vi.spyOn(stream, 'write').mockImplementation((text) => {
      written.push(String(text))
      return true
    })
})
afterEach(() => vi.restoreAllMocks())
const only = () => {
  expect(written).toHaveLength(1)
  expect(written[0]?.split('\n')).toHaveLength(2)
  return JSON.parse(written[0] ?? '')
}

test('a record is one line, whatever it contains', () => {
  log.info('test', {
    name: 'a\nb\r\u001b[31mred\u0000\u202Eevil\u2028',
    nested: { list: ['x\ty'] },
    count: 3,
    none: null,
  })
  const line = only()
  expect(line).toMatchObject({
    level: 'info',
    event: 'test',
    name: 'a b [31mred evil ',
    nested: { list: ['x y'] },
    count: 3,
    none: null,
  })
  expect(Date.parse(line.at)).not.toBeNaN()
})

test('values with secret names are omitted, at any depth', () => {
  log.warn('test', {
    apiKey: 'canary',
    password: 'canary',
    deep: { authorization: 'canary', 'set-cookie': 'canary', access_token: 'canary' },
    tokens: 12,
  })
  expect(written.join()).not.toContain('canary')
  expect(only().tokens).toBe(12)
})

test('a failed query is logged by its cause, never its parameters', () => {
  const cause = Object.assign(new Error('relation does not exist'), { code: '42P01' })
  const error = Object.assign(new Error('Failed query: select\nparams: canary', { cause }), {
    query: 'select',
    params: ['canary'],
  })
  log.error('test', { error, wrapped: new Error('outer', { cause: error }) })
  expect(written.join()).not.toContain('canary')
  expect(only().error).toMatchObject({ message: 'relation does not exist', code: '42P01' })
})

test('long texts, deep values and cycles are truncated', () => {
  const circle: Record<string, unknown> = { big: 'x'.repeat(1_000_000) }
  circle.self = circle
  log.info('test', { circle })
  expect(written.join().length).toBeLessThan(15_000)
})
