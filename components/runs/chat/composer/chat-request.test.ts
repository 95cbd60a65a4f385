import { expect, test } from 'vitest'
import { initialOptions, NO_MORE } from '@/components/runs/start/start-options'
import { chatRequest } from './chat-request'

const chat = (change: Partial<Parameters<typeof chatRequest>[0]> = {}) => ({
  options: initialOptions('', ''),
  assistant: 'chat',
  schema: undefined,
  json: undefined,
  text: 'hi',
  thread: undefined,
  ...change,
})

test('a message goes with its files, and with what it held before', async () => {
  const file = { id: '1', name: 'a.png', mime: 'image/png', size: 1, data: 'AA==' }
  const block = { type: 'image_url', image_url: { url: 'data:,' } }
  expect(await chatRequest(chat({ files: [file], blocks: [block] }))).toMatchObject({
    ok: true,
    body: {
      input: { messages: [{ content: [{ type: 'text', text: 'hi' }, block, { type: 'image', data: 'AA==' }] }] },
    },
  })
})

test('the context of an older graph is sent as its configuration, beside the limits', async () => {
  const options = { ...initialOptions('', ''), context: '{"id":12345678901234567890}', more: { ...NO_MORE, tags: 'a' } }
  const older = await chatRequest(chat({ options, isConfigured: true }))
  expect(older).toMatchObject({ ok: true, body: { config: { tags: ['a'], configurable: { id: expect.anything() } } } })
  expect(older.ok && older.body).not.toHaveProperty('context')
  expect(await chatRequest(chat({ options }))).toMatchObject({ ok: true, body: { context: { id: expect.anything() } } })
})

test('untouched JSON is the skeleton of the schema, and is checked', async () => {
  const schema = { type: 'object', properties: { size: { type: 'integer', minimum: 1 } }, required: ['size'] }
  expect(await chatRequest(chat({ text: undefined, schema }))).toMatchObject({
    ok: true,
    body: { input: { size: expect.anything() } },
  })
  expect((await chatRequest(chat({ text: undefined, schema, json: '{}' }))).ok).toBe(false)
})

test('a form leaves keys unset that the schema does not require, and what it shows is sent against the schema too', async () => {
  const properties = { any: {}, note: { type: 'string' }, name: { type: 'string', minLength: 1 } }
  const schema = { type: 'object', properties, required: ['name'] }
  const untouched = { text: undefined, schema, isForced: true }
  const inputOf = async (more: object) => {
    const request = await chatRequest(chat({ ...untouched, ...more }))
    return request.ok && request.body.input
  }
  expect((await chatRequest(chat({ ...untouched, isForced: false }))).ok).toBe(false)
  expect(await inputOf({ hasMessages: false })).toEqual({ name: '' })
  expect(await inputOf({ hasMessages: true })).toEqual({ any: null, note: '', name: '' })
})
