import fc from 'fast-check'
import { beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { planChanges, type SecretChange } from '@/lib/contracts/deployments/secret-changes'
import type { EditSnapshot, SavedEdit } from '@/lib/edit'
import { AppError } from '@/lib/errors'
import type { Actor } from '../access/actor'
import { adoptClock } from '../process/clock'
import { adoptEnv } from '../process/env'
import { ConnectionError } from '../upstream/network-error'
import { editSecrets } from './edit-secrets'
import { readRaw } from './raw-deployment'
import { secretsSnapshot } from './secret-fingerprints'
import { type BadControlPlane, badControlPlane, DEPLOYMENT, type Reading, type Writing } from './testing'

// Random edits of 200 secrets, interleaved with two other editors (one outside this console) and server faults. The store,
// lock and network are mocked for speed (edits.test.ts covers them); `node scripts/checks/check-edits.mjs 10000` runs more.

const RUNS = Number(process.env.EDITS_RUNS ?? 200)

let plane: BadControlPlane
vi.mock('../upstream/call-context', async (original) => ({
  ...(await original<typeof import('../upstream/call-context')>()),
  authorize: async () => ({
    actor: admin,
    role: 'admin',
    requestId: 'r',
    workspace: { slug: 'w', baseUrl: 'http://x', dialect: 'graph', auth: {} },
  }),
}))
vi.mock('../audit/trail', () => ({
  withAudit: async (_entry: unknown, work: () => Promise<{ value: unknown }>) => (await work()).value,
}))
vi.mock('./idempotency', () => ({ withIdempotencyKey: (_request: unknown, work: () => Promise<unknown>) => work() }))
vi.mock('./lock', () => ({ withEditLock: (_place: unknown, work: () => Promise<unknown>) => work() }))
vi.mock('../upstream/call', () => ({
  call: async () =>
    JSON.parse((plane.handle({ method: 'GET', path: '/revisions' }) as { text: string }).text) as unknown,
}))
vi.mock('../upstream/exchange', async (original) => {
  const { printJson } = await import('@/lib/json/lossless')
  return {
    ...(await original<typeof import('../upstream/exchange')>()),
    exchangeText: async (op: { method: string; path: string }, _to: unknown, { body }: { body: unknown }) => {
      const response = plane.handle({
        method: op.method,
        path: op.path,
        body: body === undefined ? '' : printJson(body),
      })
      if (response === 'lost') throw new ConnectionError('The control plane cannot be reached.', false, true)
      return { ...response, headers: new Headers() }
    },
  }
})

const admin: Actor = { id: 'a', email: 'a@example.com', kind: 'user' }
const place = { workspace: 'w', deploymentId: DEPLOYMENT }
beforeAll(() => {
  adoptClock({ pause: async () => {} })
  adoptEnv({ DATABASE_URL: 'postgres://x@localhost/x', PILOTHOUSE_SEALING_KEY: 'k'.repeat(32) })
  return () => {
    adoptEnv(undefined)
    adoptClock(undefined)
  }
})
beforeEach(() => {
  Object.assign(globalThis, { pilothouseMasks: undefined })
})

const COUNT = 200
const value = fc.oneof(
  { weight: 6, arbitrary: fc.string({ unit: 'binary', maxLength: 60 }) },
  {
    weight: 1,
    arbitrary: fc.string({
      unit: fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)),
      maxLength: 30,
    }),
  },
  { weight: 1, arbitrary: fc.constantFrom('', ' \r\n', 'true', '{"a":1}', '\\', '"', '__proto__', '$&') },
)
const base = fc
  .tuple(fc.array(value, { minLength: 8, maxLength: 40 }), fc.constantFrom('', '', '', 'a'.repeat(65_000)))
  .map(([values, long]) =>
    Array.from({ length: COUNT }, (_, index) => ({
      name: `NAME_${index}`,
      value: `${index === 77 ? long : values[index % values.length]}#${index}`,
    })),
  )
const nameOf = fc.integer({ min: 0, max: COUNT - 1 }).map((index) => `NAME_${index}`)
const newName = fc.integer({ min: 0, max: 30 }).map((index) => `NEW_${index}`)
const change: fc.Arbitrary<SecretChange> = fc.oneof(
  fc.record({
    kind: fc.constant('set' as const),
    name: fc.oneof(nameOf, newName),
    value: value.map((text) => `${text}!`),
  }),
  fc.record({ kind: fc.constant('remove' as const), name: nameOf }),
  fc.record({ kind: fc.constant('rename' as const), from: nameOf, to: fc.oneof(newName, newName, nameOf) }),
)
const changes = fc.array(change, { minLength: 1, maxLength: 12 })
const reading = fc.oneof(
  { weight: 12, arbitrary: fc.constant<Reading>('plain') },
  {
    weight: 1,
    arbitrary: fc.constantFrom<Reading>('masked', 'hidden', 'constant', 'half', 'shuffled', 'unlisted', 'html'),
  },
)
const writing = fc.oneof(
  { weight: 8, arbitrary: fc.constant<Writing>('plain') },
  {
    weight: 1,
    arbitrary: fc.constantFrom<Writing>(
      'fail',
      'fail-late',
      'lost',
      'lost-late',
      'html',
      'html-late',
      'ignore',
      'echo',
    ),
  },
)
const moment = fc.constantFrom('never', 'never', 'never', 'before save', 'before write', 'after write')
const step = fc.record({ changes, outside: changes, moment, seeing: reading, saving: reading, writing, after: reading })
const interleaving = fc.record({ base, steps: fc.array(step, { minLength: 1, maxLength: 4 }), isStale: fc.boolean() })

type List = { name: string; value: string }[]
/** The reference model: applies changes to a list in the simplest way. */
function modelled(list: List, given: readonly SecretChange[]): List {
  const gone = new Set(given.flatMap((one) => (one.kind === 'remove' ? [one.name] : [])))
  const moved = new Map(given.flatMap((one) => (one.kind === 'rename' ? [[one.from, one.to] as const] : [])))
  const result = list
    .filter(({ name }) => !gone.has(name))
    .map((one) => ({ ...one, name: moved.get(one.name) ?? one.name }))
  for (const one of given) {
    if (one.kind !== 'set') continue
    const at = result.findIndex(({ name }) => name === one.name)
    if (at === -1) result.push({ name: one.name, value: one.value })
    else result[at] = { name: one.name, value: one.value }
  }
  return result
}
const texts = (list: List) => list.map((one) => JSON.stringify([one.name, one.value])).sort()
const isMask = (text: string) => /^\*+$/.test(text) || text === 'stored-elsewhere'
const valid = (list: List, given: readonly SecretChange[]) =>
  planChanges(
    list.map(({ name }) => name),
    given,
    'external_docker',
  ).problems.length === 0

async function attempt(edit: { snapshot: EditSnapshot; changes: SecretChange[] }): Promise<SavedEdit | AppError> {
  try {
    return await editSecrets({ place, actor: admin, key: 'key-of-this', ...edit })
  } catch (error) {
    if (error instanceof AppError) return error
    throw error
  }
}

test(`over ${RUNS} interleavings no value is lost, changed or masked silently`, async () => {
  const met = new Map<string, number>()
  await fc.assert(
    fc.asyncProperty(interleaving, async ({ base, steps, isStale }) => {
      plane = badControlPlane(base)
      let stale: EditSnapshot | undefined
      for (const { changes, outside, moment, seeing, saving, writing, after } of steps) {
        plane.reading = seeing
        const fresh = await readRaw(place, { actor: admin }).then(secretsSnapshot(place), () => undefined)
        const snapshot = isStale ? (stale ?? fresh) : fresh
        if (seeing === 'plain') stale ??= fresh
        // A server that always leaves out the same half looks like one that has no more.
        if (!snapshot || (seeing === 'half' && saving === 'half')) continue
        const write = () =>
          plane.writeOutside((list) => (valid(list, outside) ? modelled(list, outside) : list.slice(1)))
        if (moment === 'before save') write()
        if (moment === 'before write') plane.beforeWrite = write
        if (moment === 'after write') plane.afterWrite = write
        else
          plane.afterWrite = () => {
            plane.reading = after
          }
        Object.assign(plane, { reading: saving, writing })
        const [start, sent] = [plane.secrets, plane.updates.length]
        const result = await attempt({ snapshot, changes })
        const updates = plane.updates.slice(sent)
        Object.assign(plane, { beforeWrite: undefined, afterWrite: undefined, writing: 'plain' })

        expect(updates.length).toBeLessThanOrEqual(1)
        const [update] = updates
        const kind = result instanceof AppError ? result.code : 'saved'
        met.set(`${kind}${update ? ', written' : ''}`, (met.get(`${kind}${update ? ', written' : ''}`) ?? 0) + 1)
        // Masks are never written.
        for (const text of plane.received.splice(0))
          for (const one of (JSON.parse(text) as { secrets: List }).secrets) expect(isMask(one.value)).toBe(false)
        if (!update) {
          expect(plane.secrets).toBe(start)
          if (result instanceof AppError) continue
          // Such as a name that is changed to itself.
          if (result.note === 'No changes to save.') expect(texts(modelled(start, changes))).toEqual(texts(start))
          else expect(result.note).toMatch(/already/)
          continue
        }
        // The write is exactly the change applied to the last read state.
        const wasOutside = moment === 'before write' && writing !== 'ignore'
        if (!wasOutside && saving !== 'half')
          expect(texts(update.after)).toEqual(texts(modelled(update.before, changes)))
        if (result instanceof AppError) {
          // A written change is never reported as not saved.
          expect(result.message).not.toMatch(/not saved|Nothing was sent/)
          continue
        }
        // A change reported as saved is there, and an overwritten revision is named.
        if (wasOutside) expect(result.overtaken?.length).toBe(1)
        else expect(texts(plane.secrets)).toEqual(texts(modelled(update.before, changes)))
      }
    }),
    { numRuns: RUNS, endOnFailure: true }, // shrinking lists of 200 takes minutes and reveals little
  )
  // The generator must reach every outcome, or the test proves little.
  for (const ending of ['saved, written', 'conflict', 'conflict, written', 'invalid', 'upstream_shape'])
    expect([ending, (met.get(ending) ?? 0) > 0]).toEqual([ending, true])
}, 3_600_000)
