import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseUpstreamError } from './upstream-error'

const json = (value: unknown, status = 422) =>
  parseUpstreamError({ status, contentType: 'application/json', text: JSON.stringify(value) })

describe('the message of an error', () => {
  test.each([
    [{ detail: 'Deployment not found' }, 'Deployment not found'],
    [{ detail: ['one', 'two'] }, 'one two'],
    [{ detail: { message: 'nested' } }, 'nested'],
    [{ detail: { error: { message: 'deeper' } } }, 'deeper'],
    [{ error: 'not_found', message: 'No such thing', details: {} }, 'No such thing'],
    [{ error: 'org_scoped_key_requires_workspace' }, 'org_scoped_key_requires_workspace'],
    [{ error: { code: 5, message: 'in an object' } }, 'in an object'],
    [{ errors: [{ message: 'first' }, { message: 'second' }] }, 'first second'],
    [{ title: 'Bad Gateway', status: 502 }, 'Bad Gateway'],
    [{ __error__: { error: 'ValueError', message: 'broken' } }, 'broken'],
    ['just text', 'just text'],
    [{ detail: '{"message":"printed twice"}' }, 'printed twice'],
    [{ detail: '"quoted"' }, 'quoted'],
    [{}, ''],
    [[], ''],
    [null, ''],
    [5, '5'],
  ])('%j', (body, message) => {
    expect(json(body, 400)).toEqual({ message, fields: [], code: 'invalid' })
  })

  test.each([
    ['text/plain', 'Thread is already running a task', 'Thread is already running a task'],
    ['text/plain; charset=UTF-8', '{"detail":"JSON as text"}', 'JSON as text'],
    ['application/json', 'not json {', 'not json {'],
    ['application/json', '{"detail": "cut o', '{"detail": "cut o'],
    [null, '  two\n lines ', 'two lines'],
    ['text/html', '<html><head><title>502 Bad Gateway</title></head><body><h1>x</h1></body></html>', '502 Bad Gateway'],
    [
      'application/json',
      '<!DOCTYPE html><html><body><h1>Service Unavailable</h1><hr>nginx</body></html>',
      'Service Unavailable',
    ],
    ['text/html', '<html><body>nothing</body></html>', 'The response is a web page instead of data.'],
    ['text/html', '<title>&lt;script&gt;alert(1)&lt;/script&gt;</title>', 'script alert(1) /script'],
    [undefined, '', ''],
    ['text/plain', '\u001b[31mred\u001b[0m \u202Ehidden\u200B', 'red hidden'],
    ['text/plain', "Object of type <class 'int'> where 1 < 2", "Object of type ‹class 'int'> where 1 < 2"],
  ])('%s: %j', (contentType, text, message) => {
    expect(parseUpstreamError({ status: 500, contentType, text })).toEqual({
      message,
      fields: [],
      code: 'upstream_failed',
    })
  })
})

describe('refused fields', () => {
  test('keep their path without its first segment', () => {
    const body = {
      detail: [
        { loc: ['body', 'secrets', 0, 'name'], msg: 'Field required', type: 'missing', input: 'secret' },
        { loc: ['query', 'limit'], msg: 'Too large', type: 'less_than_equal' },
        { loc: ['name'], msg: 'Taken', type: 'value_error' },
        { loc: ['body'], msg: 'Not JSON', type: 'json_invalid' },
      ],
    }
    expect(json(body)).toEqual({
      message: 'secrets.0.name: Field required; limit: Too large; name: Taken; Not JSON',
      fields: [
        { path: ['secrets', 0, 'name'], message: 'Field required' },
        { path: ['limit'], message: 'Too large' },
        { path: ['name'], message: 'Taken' },
        { path: [], message: 'Not JSON' },
      ],
      code: 'invalid',
    })
  })

  test('of a validator keep theirs, however the server wraps them', () => {
    const issues = [{ code: 'invalid_type', path: ['body', 'thread_id'], message: 'Invalid UUID' }]
    const fields = [{ path: ['body', 'thread_id'], message: 'Invalid UUID' }]
    expect(json({ success: false, error: { issues, name: 'ZodError' } }, 400).fields).toEqual(fields)
    expect(json({ success: false, error: { name: 'ZodError', message: JSON.stringify(issues) } }, 400).fields).toEqual(
      fields,
    )
    expect(json({ message: 'Invalid request', error: { issues } }, 400).fields).toEqual(fields)
  })
})

test.each([
  [400, 'invalid'],
  [401, 'upstream_refused_key'],
  [403, 'upstream_refused_key'],
  [404, 'not_found'],
  [405, 'unsupported'],
  [409, 'conflict'],
  [413, 'too_large'],
  [422, 'invalid'],
  [429, 'rate_limited'],
  [500, 'upstream_failed'],
  [503, 'upstream_failed'],
  [418, 'upstream_failed'],
])('status %i is %s', (status, code) => {
  expect(parseUpstreamError({ status, text: '' }).code).toBe(code)
})

describe('any response', () => {
  const nasty = fc.constantFrom(
    '<script>alert(1)</script>',
    '<img src=x onerror=y>',
    '</title><b>',
    '<<b>script>',
    '<!--',
    '<?php',
    '&lt;i&gt;',
    '\u0000',
    '\u202e',
    '\ud800',
  )
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.uint8Array().map((bytes) => new TextDecoder().decode(bytes)),
    fc.json(),
    fc.array(fc.oneof(nasty, fc.string()), { maxLength: 8 }).map((parts) => parts.join('')),
    fc.array(nasty, { maxLength: 4 }).map((parts) => JSON.stringify({ detail: parts })),
    fc
      .array(nasty, { maxLength: 4 })
      .map((parts) => JSON.stringify({ detail: [{ loc: parts, msg: parts.join(''), type: 'x' }] })),
    fc.array(nasty, { maxLength: 4 }).map((parts) => `<html><title>${parts.join('')}</title>`),
  )
  const contentType = fc.constantFrom('application/json', 'text/html', 'text/plain', '', null, undefined)

  test('never throws, stays short, and contains no markup or invisible characters', () => {
    fc.assert(
      fc.property(text, contentType, fc.integer({ min: 100, max: 599 }), (text, contentType, status) => {
        const { message, fields } = parseUpstreamError({ status, contentType, text })
        const shown = [message, ...fields.flatMap((field) => [field.message, ...field.path.map(String)])]
        for (const one of shown) {
          expect(one.length).toBeLessThanOrEqual(500)
          expect(one).not.toMatch(/<[a-z/!?]/i)
          expect(one).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}]/u)
        }
        expect(fields.length).toBeLessThanOrEqual(50)
      }),
      { numRuns: 2000 },
    )
  })

  test.each([
    ['a million brackets', '['.repeat(1_000_000)],
    ['a million opening tags', '<title'.repeat(500_000)],
    ['ten million letters', 'x'.repeat(10_000_000)],
    [
      'a million fields',
      JSON.stringify({
        detail: Array.from({ length: 30_000 }, (_, index) => ({
          loc: ['body', index],
          msg: 'm'.repeat(20),
          type: 't',
        })),
      }),
    ],
    [
      'text printed into text again and again',
      Array.from({ length: 12 }).reduce<string>((inner) => JSON.stringify(inner), 'x'),
    ],
  ])('%s is read without delay', (_, text) => {
    const start = performance.now()
    const { message } = parseUpstreamError({ status: 500, contentType: 'application/json', text })
    expect(performance.now() - start).toBeLessThan(1_000)
    expect(message.length).toBeLessThanOrEqual(500)
  })
})

const said = (text: string, contentType = 'text/plain') =>
  parseUpstreamError({ status: 500, contentType, text }).message

describe('text', () => {
  test('is read although blanks surround it, and JSON in it too', () => {
    expect(said(' \n {"detail":"padded"} \n')).toBe('padded')
    expect(said(' null ')).toBe('')
    expect(json({ detail: '  {"message":"padded inside"}  ' }).message).toBe('padded inside')
  })
  test('that only contains JSON or tags is text', () => {
    expect(said('Error: {"detail":"x"}')).toBe('Error: {"detail":"x"}')
    expect(json({ detail: 'Use <title> for it' }).message).toBe('Use ‹title> for it')
    expect(json({ detail: '<b>bold</b>' }).message).toBe('‹b>bold‹/b>')
    expect(json({ detail: '"' }).message).toBe('"')
  })
  test('that is a page is told by its heading, also inside JSON', () => {
    expect(json({ detail: '<html><h1>\n Bad Gateway </h1></html>' }).message).toBe('Bad Gateway')
    expect(json({ detail: ' <body>' }).message).toBe('The response is a web page instead of data.')
    expect(said('<h2 class="a">Not here</h2>')).toBe('Not here')
    expect(said('<title> </title><h1>Oops</h1>')).toBe('Oops')
    expect(said('Oops', 'text/html; charset=utf-8')).toBe('The response is a web page instead of data.')
    expect(said('<title>a&#x27;b&#39;c&amp;d</title>')).toBe('a b c d')
  })
  test('without a type is read as well', () => {
    expect(parseUpstreamError({ status: 500, contentType: null, text: 'html' }).message).toBe('html')
  })
  test('that is too long is cut with an ellipsis, never within a character', () => {
    expect(said('x'.repeat(500))).toBe('x'.repeat(500))
    expect(said('x'.repeat(501))).toBe(`${'x'.repeat(499)}…`)
    expect(said(`${'x'.repeat(498)}😀y`)).toBe(`${'x'.repeat(498)}…`)
    expect(said(`${'x'.repeat(497)}😀yz`)).toBe(`${'x'.repeat(497)}😀…`)
  })
  test('that starts beyond what is read is not shown', () => {
    expect(said(`${'\u200b'.repeat(20_000)}late`)).toBe('')
    expect(said(`<!-- ${'x'.repeat(20_000)} --><title>late</title>`)).toBe(
      'The response is a web page instead of data.',
    )
    expect(said(`${' '.repeat(1_000_000)}late`)).toBe('')
    const long = JSON.stringify({ detail: 'd', more: 'x'.repeat(1_000_000) })
    expect(said(long).startsWith('{"detail"')).toBe(true)
    const page = `<html>${'x'.repeat(20_000)}<title>late</title>`
    expect(json({ detail: page }).message).toBe('The response is a web page instead of data.')
    expect(json({ detail: `<${'\u200b'.repeat(20_000)}<html>` }).message).toBe('<')
  })
})

describe('nesting', () => {
  const nested = (levels: number) =>
    Array.from({ length: levels }).reduce<unknown>((inner) => ({ detail: inner }), 'found')
  test('is followed for six levels', () => {
    expect(json(nested(6)).message).toBe('found')
    expect(json(nested(7)).message).toBe('')
    expect(json({ detail: nested(6), message: 'in its place' }).message).toBe('in its place')
  })
  test('counts lists and printed JSON too', () => {
    expect(json([[[[[['found']]]]]]).message).toBe('found')
    expect(json([[[[[[['too deep']]]]]]]).message).toBe('')
    const printed = (times: number) =>
      Array.from({ length: times }).reduce<string>((inner) => JSON.stringify(inner), 'found')
    expect(said(printed(6))).toBe('found')
    expect(said(printed(8))).not.toBe('found')
  })
})

describe('what says most', () => {
  test('is the first key with a message, in our order', () => {
    expect(json({ message: 'second', detail: 'first' }).message).toBe('first')
    expect(json({ detail: '', message: 'second' }).message).toBe('second')
    expect(json({ description: 'only', extra: 'no' }).message).toBe('only')
  })
  test('are invalid fields, wherever they are', () => {
    const field = { loc: ['body', 'a'], msg: 'Bad' }
    expect(json({ message: 'Invalid request', errors: [field] })).toMatchObject({ message: 'a: Bad' })
    expect(json(field)).toMatchObject({ message: 'a: Bad', fields: [{ path: ['a'], message: 'Bad' }] })
    expect(json({ detail: ['text', field, '', {}] }).message).toBe('a: Bad')
  })
  test('are not keys that an object only inherits', () => {
    expect(json({ detail: { toString: 'x' } }).message).toBe('')
  })
  test('is a list of texts without its empty ones', () => {
    expect(json({ detail: ['a', '', {}, 'b'] }).message).toBe('a b')
  })
})

describe('a refused field', () => {
  const fields = (item: object) => json({ detail: [item] }).fields
  test('has a path and a message, or is none', () => {
    expect(fields({ loc: ['body', 'a'], msg: 7 })).toEqual([])
    expect(fields({ loc: 'body', msg: 'Bad' })).toEqual([])
    expect(fields({ path: ['a'], message: 'Bad' })).toEqual([{ path: ['a'], message: 'Bad' }])
    expect(fields({ loc: ['body', 'a'], msg: ' ' })).toEqual([{ path: ['a'], message: 'It was refused.' }])
  })
  test('has a path of at most 20 parts, and no object in it', () => {
    const path = Array.from({ length: 30 }, (_, index) => index)
    expect(fields({ loc: ['body', ...path], msg: 'Bad' })[0]?.path).toEqual(path.slice(0, 20))
    expect(fields({ loc: ['header', { a: 1 }, null], msg: 'Bad' })[0]?.path).toEqual(['', 'null'])
  })
  test('is one of 50 at most', () => {
    const many = Array.from({ length: 60 }, (_, index) => ({ loc: ['query', index], msg: 'Out of range' }))
    expect(json({ detail: many }).fields).toHaveLength(50)
    expect(json({ detail: many }).message.endsWith('…')).toBe(true)
  })
})
