import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { failure } from '@/e2e/support/failure'
import { type StubUpstream, startStubUpstream } from '@/e2e/support/stub-upstream'
import { controlPlane } from '@/lib/contracts/control-plane'
import type { DeploymentPlace } from '@/lib/contracts/wire/places'
import type { Actor } from '../access/actor'
import { insertDirectServer, NewDirectServer } from '../access/direct-servers'
import { insertWorkspace, NewWorkspace } from '../access/workspace-settings'
import { type TestConsole, testActor, testConsole } from '../testing'
import { call, callAny } from './call'
import { readServerInfo, serverInfo } from './server-info'

// A workspace without a control plane, and what its servers say of themselves.

let home: TestConsole
let upstream: StubUpstream
let admin: Actor
const ids: Record<string, string> = {}
beforeAll(async () => {
  upstream = await startStubUpstream()
  home = await testConsole()
  admin = await testActor({ bare: 'admin' })
  await insertWorkspace(
    NewWorkspace.parse({ kind: 'direct', slug: 'bare', name: 'Bare', dialect: 'auto', allowedOrigins: [] }),
  )
  for (const name of ['Alpha', 'Beta', 'Gamma']) {
    const { id } = await insertDirectServer('bare', NewDirectServer.parse({ name, url: upstream.url }))
    ids[name] = id
  }
})
afterAll(async () => {
  await home.close()
  await upstream.stop()
})

describe('its servers as deployments', () => {
  const list = async (query: object = {}) => {
    const page = await call(controlPlane.listDeployments, { workspace: 'bare', query }, { actor: admin })
    return [page.resources.map(({ name }) => name), page.offset]
  }

  test.each<[object, string[], number]>([
    [{}, ['Alpha', 'Beta', 'Gamma'], 3],
    [{ limit: 2 }, ['Alpha', 'Beta'], 2],
    [{ limit: 2, offset: 2 }, ['Gamma'], 3],
    [{ offset: 5 }, [], 5],
    [{ name: 'Beta' }, ['Beta'], 1],
    [{ name: 'beta' }, [], 0],
    [{ name_contains: 'ALPH' }, ['Alpha'], 1],
    [{ name_contains: 'a', name: 'Gamma' }, ['Gamma'], 1],
    [{ status: 'READY' }, ['Alpha', 'Beta', 'Gamma'], 3],
    [{ status: 'UNUSED' }, [], 0],
  ])('by %j are %j', async (query, names, offset) => {
    expect(await list(query)).toEqual([names, offset])
  })

  test('are found by several ids', async () => {
    expect(await list({ deployment_ids: `${ids.Gamma},${ids.Alpha},x` })).toEqual([['Alpha', 'Gamma'], 2])
    expect(await list({ deployment_ids: 'x' })).toEqual([[], 0])
  })

  test.each([
    [controlPlane.createRevision, { source_revision_config: {} }, /it cannot offer this\.$/],
    [controlPlane.updateDeployment, { secrets: [] }, /it cannot change deployments\.$/],
  ])('cannot be changed: $0.id', async (op, body, message) => {
    const input = { workspace: 'bare', params: { deployment_id: ids.Alpha ?? '' }, body }
    expect(await failure(callAny(op, input, { actor: admin }))).toMatchObject({
      code: 'unsupported',
      message: expect.stringMatching(message),
    })
  })
})

describe('what a server says of itself', () => {
  const EMPTY = { flags: {}, metadata: {} }
  const shared = globalThis as { pilothouseServerInfo?: Map<string, { info: object; until: number }> | undefined }
  const place = (name = 'Alpha'): DeploymentPlace => ({ workspace: 'bare', deploymentId: ids[name] ?? '' })
  const options = () => ({ actor: admin })
  const version = (said: string) => upstream.respondWith(() => ({ body: { version: said } }))
  beforeEach(() => {
    shared.pilothouseServerInfo = undefined
    upstream.seen.length = 0
  })

  test('is read once in ten minutes for each server, unless it is asked for now', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    try {
      version('1')
      expect(await serverInfo(place(), options())).toEqual({ ...EMPTY, version: '1' })
      version('2')
      vi.setSystemTime(Date.now() + 10 * 60_000 - 1)
      expect(await serverInfo(place(), options())).toMatchObject({ version: '1' })
      expect(await serverInfo(place('Beta'), options())).toMatchObject({ version: '2' })
      vi.setSystemTime(Date.now() + 1)
      expect(await serverInfo(place(), options())).toMatchObject({ version: '2' })
      version('3')
      expect(await readServerInfo(place(), options())).toMatchObject({ version: '3' })
      expect(await serverInfo(place(), options())).toMatchObject({ version: '3' })
      expect(upstream.seen).toHaveLength(4)
    } finally {
      vi.useRealTimers()
    }
  })

  test.each([
    ['without an info', 404, 'Not Found'],
    ['that does not know it', 404, '{"detail":"Info not found"}'],
  ])('is nothing for a server %s, which is not asked again', async (_, status, body) => {
    upstream.respondWith(() => ({ status, body }))
    expect(await readServerInfo(place(), options())).toEqual(EMPTY)
    expect(await serverInfo(place(), options())).toEqual(EMPTY)
    expect(upstream.seen).toHaveLength(1)
  })

  test('is nothing for now while a server fails', async () => {
    upstream.respondWith(() => ({ status: 500, body: '' }))
    expect(await failure(readServerInfo(place(), options()))).toMatchObject({ code: 'upstream_failed' })
    expect(await serverInfo(place(), options())).toEqual(EMPTY)
    version('1')
    expect(await serverInfo(place(), options())).toMatchObject({ version: '1' })
  })

  test('is kept for at most two thousand servers', async () => {
    version('1')
    const kept = new Map(Array.from({ length: 1_999 }, (_, n) => [`${n}`, { info: {}, until: 0 }]))
    shared.pilothouseServerInfo = kept
    await serverInfo(place(), options())
    expect(kept.size).toBe(2_000)
    await serverInfo(place('Beta'), options())
    expect(kept.size).toBe(1)
  })
})
