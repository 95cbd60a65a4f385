import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { PlatformOptions } from '../start'
import { type Client, createFixture, type Fixture, graphFiles, isAlive, waitFor } from '../testing/platform-fixture'

/** One compute under test. */
export type ComputeUnderTest = {
  options: Partial<PlatformOptions>
  /** The fields of a create request, for a source with these files. `change` commits others. */
  source(
    fixture: Fixture,
    name: string,
    files: Record<string, string>,
  ): Promise<{ body: Record<string, unknown>; change(files: Record<string, string>): Promise<void> }>
  /** Whether servers go on while the platform is stopped. */
  outlivesPlatform: boolean
  close(): Promise<void>
}

/** What every compute does, seen through the control plane and the gateway as a user sees it. */
export function computeConformance(open: () => Promise<ComputeUnderTest>): () => Fixture {
  // Generous, because real processes are slow on a busy machine.
  vi.setConfig({ testTimeout: 60_000, hookTimeout: 120_000 })
  let compute: ComputeUnderTest
  let fixture: Fixture
  let client: Client
  let id: string
  let first: string
  let change: (files: Record<string, string>) => Promise<void>

  beforeAll(async () => {
    vi.stubEnv('PILOTHOUSE_HANG_SECONDS', '10')
    compute = await open()
    fixture = await createFixture(compute.options)
    client = fixture.client
    const source = await compute.source(fixture, 'conformance', graphFiles('one'))
    change = source.change
    const { status, body } = await client.request('POST', '/v2/deployments', {
      ...source.body,
      secrets: [{ name: 'GREETING', value: 'a secret greeting' }],
    })
    expect([status, body.detail]).toEqual([201, undefined])
    id = body.id
    first = body.latest_revision_id
  })
  afterAll(async () => {
    try {
      await fixture?.close()
    } finally {
      await compute?.close()
      vi.unstubAllEnvs()
    }
  })
  const revise = async () => (await client.request('POST', `/v2/deployments/${id}/revisions`, {})).body.id as string
  const active = async () => (await client.get(`/v2/deployments/${id}`)).body.active_revision_id

  test('a revision is deployed once it serves, with its secrets and settings', async () => {
    expect((await client.get(`/agents/${id}/ok`)).status).not.toBe(404)
    await client.waitForStatus(id, first, 'DEPLOYED')
    expect(await client.about(id)).toMatchObject({
      text: 'one',
      greeting: 'a secret greeting',
      revision: first,
      info: { deployment: { id, name: 'conformance' }, revision: first },
    })
    expect(await active()).toBe(first)
  })

  test('what the servers print is in the deploy log, with secrets masked', async () => {
    await client.get(`/agents/${id}/say?text=${encodeURIComponent('it said: a secret greeting')}`)
    await waitFor('the line', async () => (await client.log(id, first, 'deploy')).includes('it said: '))
    expect(await client.log(id, first, 'deploy')).not.toContain('a secret greeting')
  })

  test('a crash is in the deploy log, and the servers come back by themselves', async () => {
    const { pid } = await client.about(id)
    await client.get(`/agents/${id}/crash`).catch(() => {})
    await waitFor('it serves again', async () => {
      const { status, body } = await client.get(`/agents/${id}/about`).catch(() => ({ status: 0, body: undefined }))
      return status === 200 && body.revision === first
    })
    expect((await client.about(id)).pid).not.toBe(pid)
    await waitFor('the reason', async () => /exit code 3/.test(await client.log(id, first, 'deploy')))
  })

  test.each(['in an endless loop', 'stopped'])(
    'servers that hang, %s, are replaced, and the deploy log says why',
    async (how) => {
      const { pid } = await client.about(id)
      const mentions = async () => (await client.log(id, first, 'deploy')).split('did not respond for 10 s').length
      const before = await mentions()
      if (how === 'stopped') process.kill(pid, 'SIGSTOP')
      else await client.get(`/agents/${id}/spin`)
      await waitFor('it is gone', () => !isAlive(pid))
      await waitFor('it serves again', async () => {
        const { status, body } = await client.get(`/agents/${id}/about`).catch(() => ({ status: 0, body: undefined }))
        return status === 200 && body.revision === first
      })
      await waitFor('the reason', async () => (await mentions()) > before)
    },
  )

  test('servers that cannot start fail the revision with the reason and leave nothing; the active one serves on', async () => {
    await change({ 'main.mjs': 'throw new Error("no model key")' })
    const failed = await revise()
    await client.waitForStatus(id, failed, 'DEPLOY_FAILED')
    expect(await client.log(id, failed, 'deploy')).toMatch(/no model key/)
    expect(await client.about(id)).toMatchObject({ revision: first, text: 'one' })
    expect(await active()).toBe(first)
  })

  test('a roll-out loses no request: the next revision serves first, then the previous one ends', async () => {
    const { pid } = await client.about(id)
    await change(graphFiles('two'))
    const failures: unknown[] = []
    const seen = new Set<string>()
    let isOver = false
    const load = (async () => {
      while (!isOver) {
        const { status, body } = await client.get(`/agents/${id}/about`).catch((error) => ({ status: 0, body: error }))
        if (status === 200) seen.add(body.text)
        else failures.push(body)
      }
    })()
    const second = await revise()
    await client.waitForStatus(id, second, 'DEPLOYED')
    await waitFor('the new one responds', () => seen.has('two'))
    await waitFor('the old one is gone', () => !isAlive(pid))
    isOver = true
    await load
    expect(failures).toEqual([])
    expect([...seen]).toEqual(['one', 'two'])
    await waitFor('the end is logged', async () =>
      /The previous agent server/.test(await client.log(id, second, 'deploy')),
    )
  })

  test('after a restart of the platform the deployment serves as before', async () => {
    const before = await client.about(id)
    await fixture.platform.stop()
    expect(isAlive(before.pid)).toBe(compute.outlivesPlatform)
    await fixture.start()
    client = fixture.client
    await waitFor('it serves', async () => (await client.get(`/agents/${id}/about`)).status === 200)
    const after = await client.about(id)
    expect(after).toMatchObject({ revision: before.revision, text: 'two', greeting: 'a secret greeting' })
    expect(after.pid === before.pid).toBe(compute.outlivesPlatform)
    await client.get(`/agents/${id}/say?text=still-logged`)
    await waitFor('its log goes on', async () =>
      (await client.log(id, after.revision, 'deploy')).includes('still-logged'),
    )
  })

  test('a deleted deployment leaves no server', async () => {
    const { pid } = await client.about(id)
    expect((await client.request('DELETE', `/v2/deployments/${id}`)).status).toBe(204)
    await waitFor('it is gone', async () => (await client.get(`/v2/deployments/${id}`)).status === 404)
    expect(isAlive(pid)).toBe(false)
    expect((await client.get(`/agents/${id}/ok`)).status).toBe(404)
  })

  return () => fixture
}
