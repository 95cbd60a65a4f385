import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { failure } from '@/e2e/support/failure'
import { type Seen as Asked, type StubUpstream, startStubUpstream } from '@/e2e/support/stub-upstream'
import { SETTINGS, settingsPatch } from '@/lib/contracts/deployments/deployment-settings'
import type { SavedEdit } from '@/lib/edit'
import type { Actor } from '../access/actor'
import { type TestConsole, testActor, testConsole } from '../testing'
import { editDeployment, readForEdit } from './edit-deployment'
import { editSecrets } from './edit-secrets'
import { SPEC_PATHS } from './read-resource-spec'
import { readSecrets } from './read-secrets'
import { type BadControlPlane, badControlPlane, DEPLOYMENT, type Writing } from './testing'

// Each page that edits a deployment, against a server that is silent, fails late or sends a wrong response: the message is
// true, nothing is sent twice, and the same form saves once the server has recovered.

const SILENT_MS = 250
const place = { workspace: 'default', deploymentId: DEPLOYMENT }
let home: TestConsole
let upstream: StubUpstream
let plane: BadControlPlane
let admin: Actor
/** Which requests get no response, and whether they still take effect. */
let silence: { hits: (asked: Asked) => boolean; isDelivered: boolean } | undefined

beforeAll(async () => {
  upstream = await startStubUpstream((asked) => {
    const met = silence?.hits(asked) ? silence : undefined
    if (met && !met.isDelivered) return () => undefined
    const planeResponse = plane.handle(asked)
    if (met) return () => undefined
    if (planeResponse === 'lost') return (response) => void response.destroy()
    return {
      status: planeResponse.status,
      headers: { 'content-type': planeResponse.contentType },
      body: planeResponse.text,
    }
  })
  home = await testConsole({ CONTROL_PLANE_URL: upstream.url, CONTROL_PLANE_API_KEY: 'the-console-key' })
  admin = await testActor({ default: 'admin' })
})
afterAll(async () => {
  await home.close()
  await upstream.stop()
})
beforeEach(() => {
  plane = badControlPlane([{ name: 'PLAIN', value: 'one' }])
  silence = undefined
})

let keys = 0
type Opened = { save: () => Promise<SavedEdit>; hasSaved: () => boolean }
const base = () => ({ place, actor: admin, key: `key-of-form-${++keys}`, timeoutMs: SILENT_MS })

/** A form of each page, opened while the server is healthy. */
const PAGES: Record<string, () => Promise<Opened>> = {
  async secrets() {
    const snapshot = (await readSecrets(place, admin)).snapshot ?? expect.unreachable()
    const edit = { ...base(), snapshot, changes: [{ kind: 'set' as const, name: 'PLAIN', value: 'two' }] }
    return { save: () => editSecrets(edit), hasSaved: () => plane.secrets[0]?.value === 'two' }
  },
  async 'the resource spec'() {
    const { snapshot } = await readForEdit(place, SPEC_PATHS, { actor: admin })
    const resource_spec = { cpu: 2, future_field: { kept: true } }
    const build = () => ({ source_config: { resource_spec } })
    const edit = { ...base(), snapshot, input: resource_spec, paths: SPEC_PATHS, build }
    return {
      save: () => editDeployment(edit),
      hasSaved: () => (plane.fields.resource_spec as { cpu: number }).cpu === 2,
    }
  },
  async settings() {
    const { snapshot } = await readForEdit(place, SETTINGS, { actor: admin })
    const change = { 'source_config.build_on_push': true }
    const edit = { ...base(), snapshot, input: change, paths: SETTINGS, build: () => settingsPatch(change) }
    return { save: () => editDeployment(edit), hasSaved: () => plane.fields.build_on_push === true }
  },
}
const writes = () => upstream.seen.filter(({ method }) => method === 'PATCH').length
const sentence = (message: string) => {
  expect(message).toMatch(/^[A-Z][^<>{}]{10,300}\.$/)
  return message
}

describe.each(Object.entries(PAGES))('%s', (_page, open) => {
  let form: Opened
  let before: number
  beforeEach(async () => {
    form = await open()
    before = writes()
  })

  test('if the server is silent when it is read again, nothing is sent, and the form saves later', async () => {
    silence = { hits: ({ method }) => method === 'GET', isDelivered: false }
    const error = await failure(form.save())
    expect(error).toMatchObject({ code: 'upstream_unreachable' })
    expect(sentence(error.message)).toMatch(/did not respond within/)
    expect(writes()).toBe(before)
    silence = undefined
    await form.save()
    expect(form.hasSaved()).toBe(true)
    expect(writes()).toBe(before + 1)
  })

  test('if the server is silent on the write, the result is looked up and the write is not repeated', async () => {
    silence = { hits: ({ method }) => method === 'PATCH', isDelivered: false }
    const error = await failure(form.save())
    expect(sentence(error.message)).toMatch(/did not respond within.*was not saved\. You can try again/)
    expect([form.hasSaved(), writes()]).toEqual([false, before + 1])
    silence = undefined
    await form.save()
    expect(form.hasSaved()).toBe(true)
  })

  test('if the server is silent after saving, the change is found, and saving again sends nothing', async () => {
    silence = { hits: ({ method }) => method === 'PATCH', isDelivered: true }
    const saved = await form.save()
    expect(saved.note).toMatch(/reported a failure, but the change was saved/)
    expect(await form.save()).toEqual(saved)
    expect([form.hasSaved(), writes()]).toEqual([true, before + 1])
  })

  test('if the server stays silent, the message says that the outcome is unknown', async () => {
    silence = { hits: () => writes() > before, isDelivered: true }
    const error = await failure(form.save())
    expect(sentence(error.message)).toMatch(/It is unknown whether.*Reload before you try again/)
    expect(writes()).toBe(before + 1)
  })

  test.each<[Writing, boolean]>([
    ['fail', false],
    ['fail-late', true],
    ['html', false],
    ['html-late', true],
    ['lost-late', true],
    ['ignore', false],
  ])('after a wrong response (%s) the message is true and nothing is sent twice', async (writing, isSaved) => {
    plane.writing = writing
    const told = await form.save().then(
      ({ note }) => note ?? '',
      ({ message }: Error) => message,
    )
    // The change is there, so an HTML response is not reported.
    if (writing === 'html-late') expect(told).toBe('')
    else expect(sentence(told)).toMatch(isSaved ? /was saved/ : /was not saved/i)
    expect([form.hasSaved(), writes()]).toEqual([isSaved, before + 1])
  })
})

test('unknown statuses and fields do not block an edit and are not sent back', async () => {
  const handle = plane.handle
  plane.handle = (asked) => {
    const planeResponse = handle(asked)
    return planeResponse === 'lost'
      ? planeResponse
      : { ...planeResponse, text: planeResponse.text.replace('"READY"', '"SOME_STATUS_OF_TOMORROW"') }
  }
  for (const open of Object.values(PAGES)) {
    const form = await open()
    await form.save()
    expect(form.hasSaved()).toBe(true)
  }
  expect(plane.updates).toHaveLength(3)
  for (const { body } of plane.updates) expect(JSON.stringify(body)).not.toMatch(/TOMORROW|unknown_of_tomorrow/)
})
