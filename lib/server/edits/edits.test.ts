import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { sql } from 'drizzle-orm'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { failure } from '@/e2e/support/failure'
import { type StubUpstream, startStubUpstream } from '@/e2e/support/stub-upstream'
import { controlPlane } from '@/lib/contracts/control-plane'
import type { SecretChange } from '@/lib/contracts/deployments/secret-changes'
import type { Actor } from '../access/actor'
import { db } from '../process/db'
import { log } from '../process/log'
import { listRevisionChanges } from '../records/changes'
import { type TestConsole, testActor, testConsole } from '../testing'
import { call } from '../upstream/call'
import { type DeploymentEdit, editDeployment, readForEdit } from './edit-deployment'
import { editSecrets } from './edit-secrets'
import { readSecrets } from './read-secrets'
import { type BadControlPlane, badControlPlane, DEPLOYMENT, type Reading, type Writing } from './testing'

const loggedLines = () => Object.values(log).flatMap((write) => vi.mocked(write).mock.calls)

let home: TestConsole
let upstream: StubUpstream
let plane: BadControlPlane
let admin: Actor
let viewer: Actor
/** Called once, while the next response is on its way. */
let meanwhile: (() => Promise<void>) | undefined
const place = { workspace: 'default', deploymentId: DEPLOYMENT }

beforeAll(async () => {
  upstream = await startStubUpstream(async ({ method, path, body }) => {
    const planeResponse = plane.handle({ method, path, body })
    const done = meanwhile?.()
    meanwhile = undefined
    await done
    if (planeResponse === 'lost') return (response) => void response.destroy()
    return {
      status: planeResponse.status,
      headers: { 'content-type': planeResponse.contentType },
      body: planeResponse.text,
    }
  })
  home = await testConsole({ CONTROL_PLANE_URL: upstream.url, CONTROL_PLANE_API_KEY: 'the-console-key' })
  admin = await testActor({ default: 'admin' })
  viewer = await testActor({ default: 'viewer' })
})
afterAll(async () => {
  await home.close()
  await upstream.stop()
})

const ODD = 'a\r\nb\ud800c\u0000 \ud83d\ude80 "quoted" \\ the-console-key'
const LONG = 'x1-'.repeat(22_000)
const BASE = [
  { name: 'ODD', value: ODD },
  { name: 'LONG', value: LONG },
  { name: 'EMPTY', value: '' },
  { name: 'not a name', value: 'kept anyway' },
  { name: 'PLAIN', value: 'one' },
]
beforeEach(async () => {
  await (await db()).execute(sql`truncate console.leases`)
  plane = badControlPlane(BASE)
  vi.clearAllMocks()
})

let keys = 0
const newKey = () => `test-key-${++keys}`
const currentSnapshot = async () => (await readSecrets(place, admin)).snapshot ?? expect.unreachable()
const save = async (changes: SecretChange[], more: Partial<Parameters<typeof editSecrets>[0]> = {}) =>
  await editSecrets({
    place,
    actor: admin,
    key: newKey(),
    changes,
    snapshot: more.snapshot ?? (await currentSnapshot()),
    timeoutMs: 500,
    ...more,
  })
const set = (name: string, value: string): SecretChange => ({ kind: 'set', name, value })

describe('saving', () => {
  test('changes what is asked and sends everything else unchanged and in order', async () => {
    const saved = await save([
      set('PLAIN', 'two'),
      set('ADDED', '1'),
      { kind: 'rename', from: 'LONG', to: 'LONGER' },
      { kind: 'remove', name: 'EMPTY' },
    ])
    expect(plane.secrets).toEqual([
      { name: 'ODD', value: ODD },
      { name: 'LONGER', value: LONG },
      { name: 'not a name', value: 'kept anyway' },
      { name: 'PLAIN', value: 'two' },
      { name: 'ADDED', value: '1' },
    ])
    expect(saved.revision).toBe(plane.revisions[0])
    expect(saved.note).toBeUndefined()
    expect(saved.snapshot.digest).toBe((await currentSnapshot()).digest)
  })

  test('can remove only the last secret, and change only one name or one value', async () => {
    for (const change of [
      { kind: 'remove' as const, name: 'PLAIN' },
      { kind: 'rename' as const, from: 'ODD', to: 'EVEN' },
      set('LONG', 'short'),
    ])
      expect((await save([change])).note).toBeUndefined()
    expect(plane.secrets).toEqual([
      { name: 'EVEN', value: ODD },
      { name: 'LONG', value: 'short' },
      { name: 'EMPTY', value: '' },
      { name: 'not a name', value: 'kept anyway' },
    ])
  })

  test('can swap two names and set a renamed secret', async () => {
    await save([
      { kind: 'rename', from: 'PLAIN', to: 'EMPTY' },
      { kind: 'rename', from: 'EMPTY', to: 'PLAIN' },
      set('PLAIN', 'was empty'),
    ])
    expect(plane.secrets.slice(2)).toEqual([
      { name: 'PLAIN', value: 'was empty' },
      { name: 'not a name', value: 'kept anyway' },
      { name: 'EMPTY', value: 'one' },
    ])
  })

  test('sends two concurrent identical requests once and gives both the same result', async () => {
    const snapshot = await currentSnapshot()
    const key = newKey()
    const [one, two] = await Promise.all([1, 2].map(() => save([set('PLAIN', 'two')], { snapshot, key })))
    expect(plane.updates).toHaveLength(1)
    expect(one).toEqual(two)
  })

  test('refuses a key that was used for another change', async () => {
    const [snapshot, key] = [await currentSnapshot(), newKey()]
    await save([set('PLAIN', 'two')], { snapshot, key })
    for (const other of [{ changes: [set('PLAIN', 'three')] }, { snapshot: await currentSnapshot() }])
      expect(await failure(save([set('PLAIN', 'two')], { snapshot, key, ...other }))).toMatchObject({
        code: 'conflict',
        message: expect.stringContaining('different content'),
      })
    expect(plane.updates).toHaveLength(1)
  })

  test('believes no deployment in an answer that says it failed', async () => {
    const snapshot = await currentSnapshot()
    const { handle } = plane
    plane.handle = (request) => {
      const answer = handle.call(plane, request)
      return answer === 'lost' || request.method !== 'GET' ? answer : { ...answer, status: 503 }
    }
    expect(await failure(save([set('PLAIN', 'two')], { snapshot }))).toMatchObject({ code: 'upstream_failed' })
    expect(plane.updates).toHaveLength(0)
  })

  test('sends nothing for a repeated change under another key or for a change without effect', async () => {
    const snapshot = await currentSnapshot()
    await save([set('PLAIN', 'two')], { snapshot })
    expect(await save([set('PLAIN', 'two')], { snapshot })).toMatchObject({
      revision: null,
      note: 'This change was already saved.',
    })
    expect(await save([set('PLAIN', 'two')])).toMatchObject({
      revision: null,
      note: 'No changes to save.',
    })
    expect(plane.updates).toHaveLength(1)
  })

  test.each<[string, SecretChange[], string]>([
    ['a reserved name', [set('POSTGRES_URI', 'x')], 'set by the platform'],
    ['an invalid name', [set('1x', 'x')], 'Use letters'],
    ['a name of 300 characters with bidi controls', [set(`A\u202e${'b'.repeat(300)}`, 'x')], 'Use letters'],
    ['a name that is taken', [{ kind: 'rename', from: 'ODD', to: 'PLAIN' }], 'Another secret'],
    [
      'a name that is taken, with a new value for both',
      [{ kind: 'rename', from: 'ODD', to: 'PLAIN' }, set('PLAIN', 'x')],
      'Another secret',
    ],
    ['a mask', [set('PLAIN', '********')], 'looks like a mask'],
    ['a value twice', [set('PLAIN', 'x'), set('PLAIN', 'y')], 'twice'],
    [
      'a removal and a rename of one secret',
      [
        { kind: 'remove', name: 'PLAIN' },
        { kind: 'rename', from: 'PLAIN', to: 'Z' },
      ],
      'twice',
    ],
    ['a removal of nothing', [{ kind: 'remove', name: 'NOWHERE' }], 'no longer exists'],
    ['a NUL', [set('PLAIN', 'a\0')], 'NUL'],
  ])('refuses %s by field name and sends nothing', async (_title, changes, words) => {
    const error = await failure(save(changes))
    expect(error).toMatchObject({ code: 'invalid' })
    expect(error.view.fields.map(({ message }) => message).join()).toContain(words)
    expect(plane.updates).toEqual([])
  })

  test('keeps or replaces secrets with the same name together', async () => {
    plane.secrets = [...BASE, { name: 'PLAIN', value: 'again' }]
    await save([set('EMPTY', 'no more')])
    expect(plane.secrets.filter(({ name }) => name === 'PLAIN').map(({ value }) => value)).toEqual(['one', 'again'])
    expect(await failure(save([{ kind: 'rename', from: 'PLAIN', to: 'Z' }]))).toMatchObject({ code: 'invalid' })
    await save([set('PLAIN', 'both')])
    expect(plane.secrets.filter(({ name }) => name === 'PLAIN')).toEqual([{ name: 'PLAIN', value: 'both' }])
  })
})

describe('a concurrent edit', () => {
  test('is not overwritten: the second edit gets a three-way view and can continue from it', async () => {
    const snapshot = await currentSnapshot()
    await save([set('PLAIN', 'theirs'), set('THEIRS', 'x')], { snapshot })
    const error = await failure(save([set('PLAIN', 'mine'), { kind: 'remove', name: 'EMPTY' }], { snapshot }))
    expect(error).toMatchObject({ code: 'conflict' })
    const rows = new Map(error.view.conflict?.rows.map((row) => [row.name, row]))
    expect(rows.get('ODD')).toMatchObject({
      base: expect.any(String),
      mine: rows.get('ODD')?.base,
      theirs: rows.get('ODD')?.base,
    })
    expect(new Set(Object.values(rows.get('PLAIN') ?? {})).size).toBe(4)
    expect(rows.get('THEIRS')).toMatchObject({ base: null, mine: null, theirs: expect.any(String) })
    expect(rows.get('EMPTY')).toMatchObject({ mine: null, theirs: rows.get('EMPTY')?.base })
    expect(plane.updates).toHaveLength(1)

    await save([set('PLAIN', 'mine'), { kind: 'remove', name: 'EMPTY' }], { snapshot: error.view.conflict?.now })
    expect(plane.secrets).toContainEqual({ name: 'THEIRS', value: 'x' })
    expect(plane.secrets).toContainEqual({ name: 'PLAIN', value: 'mine' })
  })

  test('at the same moment: exactly one is saved', async () => {
    const snapshot = await currentSnapshot()
    const results = await Promise.allSettled(
      Array.from({ length: 6 }, (_, index) => save([set(`MINE_${index}`, `value ${index}`)], { snapshot })),
    )
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect(plane.updates).toHaveLength(1)
  })

  test('of another instance, while this one hung after its read, is not overwritten', async () => {
    const snapshot = await currentSnapshot()
    meanwhile = async () => {
      await (await db()).execute(sql`update console.leases set holder = gen_random_uuid()`)
      plane.writeOutside((list) => [...list, { name: 'THEIRS', value: '1' }])
    }
    expect(await failure(save([set('PLAIN', 'two')], { snapshot }))).toMatchObject({
      code: 'conflict',
      message: expect.stringMatching(/Nothing was sent/),
    })
    expect(plane.received).toEqual([])
  })

  test('outside this console, between our read and our write, is reported afterwards', async () => {
    const snapshot = await currentSnapshot()
    plane.beforeWrite = () => plane.writeOutside((list) => [...list, { name: 'OUTSIDE', value: 'x' }])
    const saved = await save([set('PLAIN', 'two')], { snapshot })
    expect(saved.overtaken).toEqual([plane.revisions[1]])
    expect(saved.note).toContain('Someone else')
  })

  test('outside this console, right after our write, is a conflict', async () => {
    const snapshot = await currentSnapshot()
    plane.afterWrite = () => plane.writeOutside((list) => list.filter(({ name }) => name !== 'PLAIN'))
    const error = await failure(save([set('PLAIN', 'two')], { snapshot }))
    expect(error).toMatchObject({ code: 'conflict', message: expect.stringContaining('differ from yours') })
  })
})

describe('a server that hides or garbles the secrets', () => {
  test.each<Reading>(['masked', 'hidden', 'constant'])('never gets a mask back (%s values)', async (reading) => {
    plane.secrets = BASE.filter(({ name }) => name !== 'EMPTY')
    plane.reading = reading
    expect((await readSecrets(place, admin)).rows.every(({ isHidden, fingerprint }) => isHidden && !fingerprint)).toBe(
      true,
    )
    const error = await failure(save([set('PLAIN', 'two')]))
    expect(error).toMatchObject({ code: 'invalid', message: expect.stringContaining('hides the values') })
    expect(error.view.fields.map(({ path }) => path[1])).toContain('ODD')
    expect(plane.received).toEqual([])

    const whole = plane.secrets.map(({ name }, index) =>
      name === 'not a name' ? { kind: 'remove' as const, name } : set(name, `new ${index}`),
    )
    const saved = await save(whole)
    expect(saved.note).toContain('only the names could be checked')
    expect(plane.secrets.map(({ value }) => value)).toEqual(['new 0', 'new 1', 'new 3'])
  })

  test('gets a list it does not show replaced only with confirmation', async () => {
    plane.reading = 'unlisted'
    expect((await readSecrets(place, admin)).isListed).toBe(false)
    expect(await failure(save([set('A', 'b')]))).toMatchObject({ code: 'invalid' })
    expect(plane.received).toEqual([])
    await save([set('A', 'b')], { mayReplaceUnknown: true })
    expect(plane.secrets).toEqual([{ name: 'A', value: 'b' }])
  })

  test('gets nothing sent after it returned half of the list once', async () => {
    const snapshot = await currentSnapshot()
    plane.reading = 'half'
    plane.onRead = () => {
      plane.onRead = () => {
        plane.reading = 'plain'
      }
    }
    const error = await failure(save([set('PLAIN', 'two')], { snapshot }))
    expect(error).toMatchObject({ code: 'upstream_shape', message: expect.stringContaining('a different list') })
    expect(plane.received).toEqual([])
  })

  test('can reorder the list on every read', async () => {
    plane.reading = 'shuffled'
    await save([set('PLAIN', 'two')])
    expect(plane.secrets).toHaveLength(BASE.length)
    expect(plane.secrets).toContainEqual({ name: 'ODD', value: ODD })
  })

  test('gets nothing sent after it responded with a web page', async () => {
    const snapshot = await currentSnapshot()
    plane.reading = 'html'
    expect(await failure(save([set('PLAIN', 'two')], { snapshot }))).toMatchObject({ code: 'upstream_shape' })
    expect(plane.received).toEqual([])
  })
})

describe('the message after a failure is true', () => {
  const outcomes: [Writing, string | undefined][] = [
    ['fail', 'was not saved'],
    ['lost', 'was not saved'],
    ['html', 'was not saved'],
    ['ignore', 'was not saved'],
    ['fail-late', undefined],
    ['lost-late', undefined],
    ['html-late', undefined],
  ]
  test.each(outcomes)('%s', async (writing, words) => {
    const snapshot = await currentSnapshot()
    plane.writing = writing
    const result = save([set('PLAIN', 'two')], { snapshot })
    if (words) {
      expect((await failure(result)).message.toLowerCase()).toMatch(/was not saved/)
      expect(plane.secrets).toEqual(BASE)
    } else {
      expect((await result).revision).toBe(plane.revisions[0])
      expect(plane.secrets[4]).toEqual({ name: 'PLAIN', value: 'two' })
    }
    expect(plane.received).toHaveLength(1)
  })

  test('when the lookup fails too', async () => {
    const snapshot = await currentSnapshot()
    plane.writing = 'lost-late'
    plane.afterWrite = () => {
      plane.reading = 'html'
    }
    expect((await failure(save([set('PLAIN', 'two')], { snapshot }))).message).toContain('It is unknown whether')
  })

  test('without values that the refusal quotes, and it names the secret', async () => {
    plane.secrets = BASE.filter(({ name }) => name !== 'LONG') // only the first 64 kB of a refusal are read
    const snapshot = await currentSnapshot()
    plane.writing = 'echo'
    const error = await failure(save([set('PLAIN', 'canary-4711-value')], { snapshot }))
    expect(error).toMatchObject({ code: 'invalid' })
    expect(error.view.fields[0]?.path).toEqual(['secrets', 'ODD', 'value'])
    expect(JSON.stringify([error.view, error.message])).not.toContain('canary')
  })
})

test('responses, logs, the audit trail and all tables contain no secret value', async () => {
  const canary = 'canary-6e1f8a72c4'
  const snapshot = await currentSnapshot()
  const saved = await save([set('CANARY', canary), { kind: 'rename', from: 'PLAIN', to: 'PLAINER' }], { snapshot })
  const conflict = await failure(save([set('CANARY', `${canary}-other`)], { snapshot }))
  const view = await readSecrets(place, admin)
  expect(JSON.stringify([saved, view, conflict.view, loggedLines()])).not.toContain('canary-')
  const store = await db()
  const { rows: tables } = await store.execute<{ name: string }>(
    sql`select table_name as name from information_schema.tables where table_schema = 'console'`,
  )
  expect(tables.length).toBeGreaterThan(8)
  for (const { name } of tables) {
    const { rows } = await store.execute<{ text: string }>(sql.raw(`select t::text as text from console."${name}" t`))
    expect(rows.filter(({ text }) => text.includes('canary-'))).toEqual([])
  }
  expect(view.rows.find(({ name }) => name === 'CANARY')?.changed?.who).toBe(admin.email)
  expect(view.rows.find(({ name }) => name === 'PLAINER')?.changed?.who).toBe(admin.email)
  expect(view.rows.find(({ name }) => name === 'not a name')?.changed).toBeNull()
})

test('a user who may not change the deployment gets no values or fingerprints and sends nothing', async () => {
  const { rows, snapshot } = await readSecrets(place, viewer)
  expect(rows.map(({ name }) => name)).toEqual(BASE.map(({ name }) => name))
  expect([snapshot, ...rows.map(({ fingerprint }) => fingerprint)].every((one) => one === null)).toBe(true)
  const asked = upstream.seen.length
  expect(await failure(save([set('PLAIN', 'x')], { actor: viewer, snapshot: await currentSnapshot() }))).toMatchObject({
    code: 'forbidden',
  })
  expect(await failure(readForEdit(place, [], { actor: viewer }))).toMatchObject({ code: 'forbidden' })
  expect(upstream.seen.slice(asked).filter(({ method }) => method !== 'GET')).toEqual([])
  expect(plane.received).toEqual([])
})

test('no response contains secret names for other members when only administrators may see them', async () => {
  const address = { CONTROL_PLANE_URL: upstream.url, CONTROL_PLANE_API_KEY: 'the-console-key' }
  home.set({ ...address, PILOTHOUSE_SECRET_NAMES: 'admins' })
  try {
    await save([set('PLAIN', 'two')])
    const params = { deployment_id: DEPLOYMENT }
    const responses = [
      await call(controlPlane.getDeployment, { workspace: 'default', params }, { actor: viewer }),
      await listRevisionChanges(viewer, place),
      await readSecrets(place, viewer),
    ]
    for (const text of responses.map((one) => JSON.stringify(one))) expect(text).not.toMatch(/PLAIN|ODD/)
    expect(responses[2]).toMatchObject({ isWithheld: true })
    expect(JSON.stringify(await listRevisionChanges(admin, place))).toContain('secrets.set.PLAIN')
    expect((await readSecrets(place, admin)).rows).toHaveLength(BASE.length)
  } finally {
    home.set(address)
  }
})

describe('other fields', () => {
  const paths = ['source_config.build_on_push', 'source_config.resource_spec.*']
  const edit = async (build: DeploymentEdit['build'], more: Partial<DeploymentEdit> = {}) =>
    await editDeployment({
      place,
      actor: admin,
      key: newKey(),
      input: null,
      paths,
      snapshot: (await readForEdit(place, paths, { actor: admin })).snapshot,
      build,
      ...more,
    })
  const spec =
    (more: Record<string, unknown>): DeploymentEdit['build'] =>
    (current) => ({
      source_config: { resource_spec: { ...current.source_config?.resource_spec, ...more } },
    })

  test('are sent as whole objects with their unknown fields and without the secrets', async () => {
    const saved = await edit(spec({ cpu: 2 }))
    expect(saved.revision).toBe(plane.revisions[0])
    expect(plane.updates[0]?.body).toEqual({
      source_config: { resource_spec: { cpu: 2, future_field: { kept: true } } },
    })
    expect(plane.secrets).toEqual(BASE)
    const { current } = await readForEdit(place, paths, { actor: admin })
    expect(current).not.toHaveProperty('secrets')
  })

  test('are checked only where they changed', async () => {
    const error = await failure(edit(spec({ cpu: 99 })))
    expect(error).toMatchObject({ code: 'invalid' })
    expect(error.view.fields.map(({ path }) => path.join('.'))).toEqual(['source_config.resource_spec.cpu'])
    expect(await failure(edit(spec({ nonsense: 1 })))).toMatchObject({ code: 'invalid' })
    expect(plane.received).toEqual([])
  })

  test('conflict by name with another edit of them, but not with an edit of something else', async () => {
    const { snapshot } = await readForEdit(place, paths, { actor: admin })
    await save([set('PLAIN', 'two')])
    await edit(spec({ cpu: 2 }), { snapshot })
    const error = await failure(edit(() => ({ source_config: { build_on_push: true } }), { snapshot }))
    expect(error).toMatchObject({ code: 'conflict' })
    expect(error.view.conflict?.rows.filter(({ base, theirs }) => base !== theirs).map(({ name }) => name)).toEqual([
      'source_config.resource_spec.cpu',
    ])
    expect(error.view.conflict?.rows.filter(({ base, mine }) => base !== mine).map(({ name }) => name)).toEqual([
      'source_config.build_on_push',
    ])
  })

  test('can be removed', async () => {
    const saved = await edit((current) => {
      const { future_field: _, ...rest } = (current.source_config?.resource_spec ?? {}) as Record<string, unknown>
      return { source_config: { resource_spec: rest } }
    })
    expect(plane.fields.resource_spec).toEqual({ cpu: 1 })
    expect(saved.note).toBeUndefined()
  })
})

test('only this folder reads deployments with secret values', () => {
  const root = path.resolve(import.meta.dirname, '../../..')
  const found = ['app', 'components', 'lib']
    .flatMap((folder) =>
      readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' }).map((file) =>
        path.join(folder, file),
      ),
    )
    .filter((file) => /(?<!\.test)\.tsx?$/.test(file) && !file.startsWith('lib/server/edits/'))
    .filter((file) =>
      /edits\/(raw-|secret-fingerprints)|DeploymentWithSecrets|exchangeText/.test(
        readFileSync(path.join(root, file), 'utf8'),
      ),
    )
  // These files define the schema (also for the platform) and the request.
  expect(found.sort()).toEqual(['lib/contracts/deployments/deployments.ts', 'lib/server/upstream/exchange.ts'])
})
