import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { apiServerWorld, missingApiServer } from '../../testing/kubernetes/world'
import { createBody, createFixture, type Fixture, graphFiles, waitFor } from '../../testing/platform-fixture'

const missing = missingApiServer()
const REGISTRY = 'registry.example.com:5000/agents'

// A real API server; the node, BuildKit and the registry are played.
describe.skipIf(missing)(`images built in a cluster, real API server${missing ? `: ${missing}` : ''}`, () => {
  vi.setConfig({ testTimeout: 60_000, hookTimeout: 120_000 })
  let world: Awaited<ReturnType<typeof apiServerWorld>>
  let fixture: Fixture
  let folder: string
  const builds = { registry: REGISTRY, secret: 'registry', buildkit: 'moby/buildkit:rootless', timeoutMs: 60_000 }
  let logsAfterMs = 0

  beforeAll(async () => {
    folder = mkdtempSync(path.join(os.tmpdir(), 'pilothouse-buildkit-'))
    const standIn = path.resolve('platform/testing/kubernetes/stand-in-buildctl.mjs')
    const program = `#!/bin/sh\nexec "${process.execPath}" "${standIn}" "$@"\n`
    writeFileSync(path.join(folder, 'buildctl-daemonless.sh'), program, { mode: 0o755 })
    world = await apiServerWorld({
      programs: folder,
      variables: { STAND_IN_REGISTRY: folder },
      logsAfterMs: () => logsAfterMs,
      folderOf: (image) => {
        const digest = image.startsWith(`${REGISTRY}/`) ? image.split('@sha256:')[1] : undefined
        return digest && path.join(folder, digest)
      },
    })
    const { node, server } = world
    await node.core.createNamespacedSecret({
      namespace: node.namespace,
      body: {
        metadata: { name: 'registry' },
        type: 'kubernetes.io/dockerconfigjson',
        stringData: { '.dockerconfigjson': '{"auths":{}}' },
      },
    })
    fixture = await createFixture({
      drainMs: 1000,
      readyTimeoutMs: 60_000,
      kubernetes: {
        kubeconfig: server.kubeconfig,
        namespaces: [node.namespace],
        image: 'pilothouse-agent:test',
        builds,
        pullSecret: 'registry',
        addressOf: (service) => node.addressOf(service),
        readsLocalRepositories: true,
      },
    })
  })
  afterAll(async () => {
    await fixture?.close()
    await world?.close()
    rmSync(folder, { recursive: true, force: true })
  })

  async function deploy(name: string, files: Record<string, string>, configPath = 'graph.json') {
    const repository = fixture.repository(name)
    const commit = repository.commit(files)
    const { body } = await fixture.client.request('POST', '/v2/deployments', {
      ...createBody(name, repository.url, { secrets: [{ name: 'NPM_TOKEN', value: 'the registry token' }] }),
      source_revision_config: { repo_ref: 'main', graph_config_path: configPath },
    })
    return { id: body.id as string, revision: body.latest_revision_id as string, commit }
  }
  const pods = async (id: string) =>
    (await world.node.pods()).filter((pod) => pod.metadata?.labels?.['pilothouse.dev/deployment'] === id)

  test('a revision runs from the image that was built of its commit, and the Job is gone', async () => {
    const { client } = fixture
    const { id, revision, commit } = await deploy('built', {
      ...graphFiles('from the image'),
      '.npmrc': `//npm.example.com/:_authToken=\${NPM_TOKEN}\n`,
      'package.json': JSON.stringify({ scripts: { build: 'true' } }),
    })
    const found = await client.waitForStatus(id, revision, 'DEPLOYED')
    expect(found.image).toMatch(/^registry\.example\.com:5000\/agents\/agent-built-[0-9a-f]{8}@sha256:[0-9a-f]{64}$/)
    expect(found.source_revision_config).toMatchObject({ repo_commit_sha: commit, image_uri: null })
    expect(found.commit).toMatchObject({ message: 'change', author: 'Test' })
    expect(found.status_history.map(({ status }: { status: string }) => status)).toContain('BUILDING')
    expect(await client.about(id)).toMatchObject({ text: 'from the image', revision })

    const [pod, ...others] = await pods(id)
    expect(others).toEqual([])
    expect([pod?.spec?.initContainers ?? [], pod?.spec?.imagePullSecrets]).toEqual([[], [{ name: 'registry' }]])
    expect(pod?.spec?.containers[0]?.image).toBe(found.image)
    expect(await world.node.jobs()).toEqual([])

    const log = await client.log(id, revision, 'build')
    expect(log).toContain('FROM pilothouse-agent:test')
    expect(log).toContain('npm run build')
    expect(log).toContain('The commands get the secret NPM_TOKEN, which .npmrc names.')
    expect(log).toContain('[secrets] NPM_TOKEN')
    expect(log).toContain(`Pushed ${found.image}`)
    expect(log).not.toMatch(/the registry token|load build definition/)
  })

  test('a log that a busy node sends late is whole, that of a short build too', async () => {
    const { client } = fixture
    logsAfterMs = 1500
    const { id, revision } = await deploy('late', graphFiles())
    await client.waitForStatus(id, revision, 'DEPLOYED').finally(() => {
      logsAfterMs = 0
    })
    expect(await client.log(id, revision, 'build')).toMatch(/FROM pilothouse-agent:test[\s\S]*Pushed /)
  })

  test('a redeploy rolls the same image out, without another build', async () => {
    const { client } = fixture
    const { id, revision } = await deploy(
      'again',
      {
        'apps/a/graph.json': '{"graphs":{"main":"./main.mjs:graph"}}',
        'apps/a/main.mjs': graphFiles('nested')['main.mjs'],
      },
      'apps/a/graph.json',
    )
    const { image } = await client.waitForStatus(id, revision, 'DEPLOYED')
    const { pid } = await client.about(id)
    const { length } = await client.log(id, revision, 'build')
    await client.request('POST', `/v2/deployments/${id}/revisions/${revision}/redeploy`)
    await waitFor('it is rolled out again', async () => {
      const { status, status_history } = await client.revision(id, revision)
      return status === 'DEPLOYED' && status_history.length > 6
    })
    expect((await client.revision(id, revision)).image).toBe(image)
    expect(await client.log(id, revision, 'build')).toHaveLength(length)
    // The same objects, so the same pod.
    expect(await client.about(id)).toMatchObject({ text: 'nested', pid })
  })

  test.each<[string, object, RegExp]>([
    [
      'a command that fails',
      {
        says: [
          '#8 [3/4] RUN unset NODE_ENV; npm ci',
          '#8 0.41 npm error code E404',
          '------',
          ' > [3/4] RUN unset NODE_ENV; npm ci:',
          '0.41 npm error code E404',
          '------',
          'error: failed to solve: process "/bin/sh -c unset NODE_ENV; npm ci" did not complete successfully: exit code: 1',
        ],
        code: 1,
      },
      /^The command ended with 1: npm ci\nnpm error code E404$/m,
    ],
    [
      'a push that is denied',
      { says: ['error: failed to solve: failed to push registry.example.com:5000/agents/x: 403 Forbidden'], code: 1 },
      /The registry refuses to store registry\.example\.com:5000\/agents\/agent-.*The credentials in Secret registry do not suffice/,
    ],
  ])('%s is the reason of a failed build, and nothing is left', async (name, asked, reason) => {
    const { client } = fixture
    const { id, revision } = await deploy(name, { ...graphFiles(), 'buildkit.json': JSON.stringify(asked) })
    await client.waitForStatus(id, revision, 'BUILD_FAILED')
    expect(await client.log(id, revision, 'build')).toMatch(reason)
    expect([await world.node.jobs(), await pods(id)]).toEqual([[], []])
  })

  test('a source without a graph fails with the reason of the checkout', async () => {
    const { client } = fixture
    const { id, revision } = await deploy('empty', { 'README.md': '' })
    await client.waitForStatus(id, revision, 'BUILD_FAILED')
    expect(await client.log(id, revision, 'build')).toContain('"graph.json" does not exist in the source.')
  })

  test('a build that takes too long ends with that reason', async () => {
    const { client } = fixture
    builds.timeoutMs = 6000
    const { id, revision } = await deploy('long', { ...graphFiles(), 'buildkit.json': '{"hangs":true}' })
    await client.waitForStatus(id, revision, 'BUILD_FAILED').finally(() => {
      builds.timeoutMs = 60_000
    })
    expect(await client.log(id, revision, 'build')).toContain('The build did not end within')
    await waitFor('the Job is gone', async () => !(await world.node.jobs()).length)
  })

  test('an interrupted build ends in the cluster too', async () => {
    const { client } = fixture
    const { id, revision } = await deploy('slow', { ...graphFiles(), 'buildkit.json': '{"hangs":true}' })
    await waitFor('it builds', async () => (await client.log(id, revision, 'build')).includes('FROM '))
    await client.request('POST', `/v2/deployments/${id}/revisions/${revision}/interrupt`)
    await client.waitForStatus(id, revision, 'INTERRUPTED')
    await waitFor('the Job is gone', async () => !(await world.node.jobs()).length && !(await pods(id)).length)
  })
})
