import { expect, test } from 'vitest'
import { initialOptions, NO_MORE } from './start-options'
import { readTemplate, templateBody, withTemplate } from './template-body'

const options = {
  ...initialOptions('assistant', 'thread'),
  inputKind: 'json' as const,
  json: '{"id":12345678901234567890}',
  context: '{"tone":"dry"}',
  modes: ['values'] as const,
  subgraphs: false,
  multitask: 'reject' as const,
  more: { ...NO_MORE, tags: 'nightly' },
}

test('a template restores the form with exact numbers, and keeps the current thread', () => {
  const template = readTemplate(templateBody(options))
  const { thread: _thread, threadKind: _kind, checkpoint: _checkpoint, ...rest } = options
  expect(withTemplate(initialOptions('', ''), template ?? {})).toMatchObject({ ...rest, threadKind: 'new', thread: '' })
  const onThread = withTemplate(initialOptions('', 'other'), template ?? {})
  expect(onThread).toMatchObject({ threadKind: 'existing', thread: 'other', json: options.json })
  const stateless = readTemplate(templateBody({ ...options, threadKind: 'stateless' }))
  expect(withTemplate(initialOptions('', 'other'), stateless ?? {}).threadKind).toBe('stateless')
})

test('equal forms make equal templates, whatever their threads', () => {
  expect(templateBody(options)).toBe(templateBody({ ...options, thread: 'other', checkpoint: 'c' }))
  expect(templateBody(options)).not.toBe(templateBody({ ...options, message: 'x' }))
})

test.each([
  ['no JSON', 'oops', undefined],
  ['another kind of value', '[1]', undefined],
  ['nothing usable', '{"modes":"all","multitask":"never","threadKind":7,"json":3}', { json: undefined }],
  [
    'some usable parts',
    '{"message":"hi","modes":["values","gone"],"more":1}',
    { message: 'hi', modes: ['values'], json: undefined },
  ],
])('a stored template with %s does not break the form', (_name, body, expected) => {
  const template = readTemplate(body)
  expect(template).toEqual(expected)
  if (template) expect(withTemplate(options, template)).toMatchObject({ subgraphs: false, multitask: 'reject' })
})
