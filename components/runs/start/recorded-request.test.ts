import { expect, test } from 'vitest'
import { printJson } from '@/lib/json/lossless'
import { prefillFrom, withRest } from './prefill'
import { answerRequest } from './recorded-request'
import { NO_MORE } from './start-options'
import { startRequest } from './start-request'

const request = {
  assistant_id: 'chat',
  input: { messages: [{ role: 'user', content: 'hi' }] },
  context: { tone: 'calm' },
  config: { tags: ['a'], recursion_limit: 7, configurable: { thread_id: 't', authorization: '[redacted]' } },
  stream_mode: ['values', 'tasks'],
  stream_subgraphs: false,
  stream_resumable: true,
  interrupt_before: ['pay'],
  multitask_strategy: 'rollback',
  metadata: { mark: 'x' },
}
const recorded = (more: object = {}) => ({
  id: 'r',
  request: printJson({ ...request, ...more }),
  assistant: 'chat',
  thread: 't',
  isStateless: false,
})

test('an answer keeps the config and stream modes of the asking run, and nothing else', () => {
  expect(answerRequest(recorded().request, 'chat', [{ id: 'q', answer: 'yes' }], 1)).toEqual({
    assistant_id: 'chat',
    command: { resume: 'yes' },
    context: { tone: 'calm' },
    config: { tags: ['a'], recursion_limit: 7 },
    stream_mode: ['values', 'tasks'],
    stream_subgraphs: false,
    interrupt_before: ['pay'],
    multitask_strategy: 'reject',
  })
})

test('running again sends the same request to a new thread, without fields added by the server', () => {
  const { options, rest } = prefillFrom(recorded())
  // The old thread is only suggested.
  expect(options).toMatchObject({ inputKind: 'message', message: 'hi', threadKind: 'new', thread: 't' })
  expect(options.more).toEqual({ ...NO_MORE, interruptBefore: 'pay', tags: 'a', recursionLimit: '7' })
  const again = startRequest(options, '', undefined)
  expect(again.ok && withRest(rest, again.body)).toEqual({
    assistant_id: 'chat',
    input: request.input,
    context: request.context,
    config: { tags: ['a'], recursion_limit: 7 },
    stream_mode: ['values', 'tasks'],
    stream_subgraphs: false,
    interrupt_before: ['pay'],
    multitask_strategy: 'rollback',
  })
})

test('recorded options are in their fields, where they can be changed and removed', () => {
  const options = { interrupt_before: ['pay', 'ship'], interrupt_after: '*', durability: 'sync' }
  const { options: form, rest } = prefillFrom(recorded(options))
  const more = { interruptBefore: 'pay, ship', interruptAfter: '*', durability: 'sync', tags: 'a', recursionLimit: '7' }
  expect(form.more).toEqual({ ...NO_MORE, ...more })
  expect(rest).toEqual({})
  const again = startRequest({ ...form, more: { ...form.more, interruptBefore: '', tags: 'b' } }, '', undefined)
  expect(again.ok && again.body).toMatchObject({ config: { tags: ['b'], recursion_limit: 7 }, interrupt_after: '*' })
  expect(again.ok && again.body).not.toHaveProperty('interrupt_before')
})

test('an option that its field cannot hold is sent as it was recorded, beside those of the form', () => {
  const { options: form, rest } = prefillFrom(
    recorded({ interrupt_before: ['a,b'], config: { tags: ['x,y'], recursion_limit: 7 }, durability: 'someday' }),
  )
  expect(form.more).toEqual({ ...NO_MORE, recursionLimit: '7' })
  expect(rest).toEqual({ interrupt_before: ['a,b'], config: { tags: ['x,y'] }, durability: 'someday' })
  const again = startRequest(form, '', undefined)
  expect(again.ok && withRest(rest, again.body)).toMatchObject({
    interrupt_before: ['a,b'],
    config: { tags: ['x,y'], recursion_limit: 7 },
  })
  const changed = startRequest({ ...form, more: { ...form.more, tags: 'z' } }, '', undefined)
  expect(changed.ok && withRest(rest, changed.body)).toMatchObject({ config: { tags: ['z'], recursion_limit: 7 } })
})

test('running again keeps the thread of a run without input, and none for a stateless run', () => {
  expect(prefillFrom(recorded({ input: null })).options).toMatchObject({ threadKind: 'existing', thread: 't' })
  expect(prefillFrom({ ...recorded(), isStateless: true }).options).toMatchObject({
    threadKind: 'stateless',
    thread: '',
  })
})

test('an input that is not a single message is restored as JSON with exact digits', () => {
  const { options } = prefillFrom({
    ...recorded(),
    request: '{"assistant_id":"x","input":{"id":12345678901234567890}}',
  })
  expect(options.inputKind).toBe('json')
  expect(options.json).toContain('12345678901234567890')
})
