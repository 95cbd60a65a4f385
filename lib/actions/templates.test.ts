import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { GET as getTemplate } from '@/app/api/templates/[workspace]/[templateId]/route'
import { MAX_TEMPLATE_LENGTH, MAX_TEMPLATES } from '@/lib/lists/saved'
import type { Actor } from '@/lib/server/access/actor'
import * as records from '@/lib/server/records/run-templates'
import { signIn, type TestConsole, testActor, testConsole } from '@/lib/server/testing'
import { deleteTemplate, saveTemplate, updateTemplate } from './templates'

let actor: Actor
vi.mock('next/headers', () => import('@/lib/server/access/testing'))
let home: TestConsole
let owner: Actor
let other: Actor
beforeAll(async () => {
  home = await testConsole()
  owner = await testActor({ default: 'developer' })
  other = await testActor({ default: 'admin' })
})
afterAll(async () => {
  await home.close()
})
beforeEach(async () => {
  actor = await signIn(owner)
})

const place = { workspace: 'default', deploymentId: 'd' }
const form = {
  assistant: 'a',
  threadKind: 'new',
  inputKind: 'json',
  message: '',
  json: '{"id": 12345678901234567890}',
  context: '',
  modes: ['values'],
  subgraphs: true,
  multitask: 'enqueue',
}
const body = (more: object = {}) => JSON.stringify({ ...form, ...more })
const read = async (id: string) => {
  const response = await getTemplate(new Request('http://localhost/api'), {
    params: Promise.resolve({ workspace: 'default', templateId: id }),
  })
  return response.ok ? (JSON.parse((await response.json()).body) as typeof form) : response.status
}

test('only its owner can read, overwrite, rename and delete a template', async () => {
  const saved = await saveTemplate({ ...place, name: 'Morning', body: body() })
  if (!saved.ok) throw new Error(saved.error.message)
  const { id } = saved.data
  expect(saved.data).toMatchObject({ templates: [{ id, name: 'Morning' }], removed: [] })
  expect(await read(id)).toEqual(form)
  expect(await saveTemplate({ ...place, name: 'morning', body: body() })).toMatchObject({
    ok: false,
    error: { code: 'conflict', fields: [{ path: ['name'] }] },
  })
  expect(await updateTemplate({ ...place, id, body: body({ message: 'hi' }) })).toMatchObject({ ok: true })
  expect(await updateTemplate({ ...place, id, name: 'Evening' })).toMatchObject({
    ok: true,
    data: { templates: [{ id, name: 'Evening' }] },
  })
  expect(await read(id)).toMatchObject({ message: 'hi' })

  actor = await signIn(other)
  expect(await read(id)).toBe(404)
  expect(await updateTemplate({ ...place, id, name: 'Mine' })).toMatchObject({
    ok: false,
    error: { code: 'not_found' },
  })
  expect(await deleteTemplate({ ...place, id })).toEqual({ ok: true, data: [] })
  actor = await signIn(owner)
  expect(await read(id)).toMatchObject({ message: 'hi' })
  expect(await deleteTemplate({ ...place, id })).toEqual({ ok: true, data: [] })
  expect(await read(id)).toBe(404)
  expect(await read('no-id')).toBe(404)
})

test('values of secret keys are never stored, and their names are returned', async () => {
  const saved = await saveTemplate({
    ...place,
    name: 'Secret',
    body: body({
      context: '{"api_key": "canary-1", "tone": "dry"}',
      json: '{"steps": [{"authorization": "Bearer canary-2"}], "id": 12345678901234567890}',
    }),
  })
  if (!saved.ok) throw new Error(saved.error.message)
  expect(saved.data.removed).toEqual(['api_key', 'authorization'])
  const stored = JSON.stringify(await read(saved.data.id))
  expect(stored).not.toContain('canary')
  expect(stored).toContain('12345678901234567890')
})

test('invalid forms, invalid JSON, oversized bodies, too many templates and non-members are refused', async () => {
  const refused = async (given: object) => {
    const result = await saveTemplate({ ...place, name: 'x', body: body(), ...given })
    return result.ok ? 'saved' : [result.error.code, result.error.fields[0]?.path.join('.')]
  }
  expect(await refused({ body: 'oops' })).toEqual(['invalid', 'body'])
  expect(await refused({ body: body({ more: 1 }) })).toEqual(['invalid', 'body'])
  expect(await refused({ body: body({ context: '{' }) })).toEqual(['invalid', 'context'])
  expect(await refused({ body: body({ message: 'x'.repeat(MAX_TEMPLATE_LENGTH) }) })).toEqual(['invalid', 'body'])
  expect(await refused({ name: ' ' })).toEqual(['invalid', 'name'])
  const full = { workspace: 'default', deploymentId: 'full' }
  for (let index = 0; index < MAX_TEMPLATES; index++)
    await records.saveTemplate(actor, full, { name: `n${index}`, body: '{}' }, 'request')
  expect(await refused({ deploymentId: 'full' })).toEqual(['conflict', undefined])
  actor = await signIn(await testActor({ elsewhere: 'admin' }))
  expect(await refused({})).toEqual(['forbidden', undefined])
})

test('the character NUL is refused as invalid, and nothing is stored', async () => {
  const refused = { ok: false, error: { code: 'invalid', message: expect.stringContaining('NUL') } }
  expect(await saveTemplate({ ...place, deploymentId: '\0', name: 'Nul', body: body() })).toMatchObject(refused)
  const saved = await saveTemplate({ ...place, name: 'Nul', body: body() })
  if (!saved.ok) throw new Error(saved.error.message)
  expect(await updateTemplate({ ...place, id: saved.data.id, name: 'a\0b' })).toMatchObject(refused)
  expect(await deleteTemplate({ ...place, id: saved.data.id })).toMatchObject({ ok: true })
})
