import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { LISTENER_ID } from '../control-plane/platform'
import { ImageStore } from '../images/image-store'
import { Store } from '../kernel/store'
import { type Client, createFixture, type Fixture, graphFiles, isAlive, waitFor } from '../testing/platform-fixture'

vi.setConfig({ testTimeout: 60_000 })

let fixture: Fixture
let client: Client
let images: ImageStore
beforeAll(async () => {
  fixture = await createFixture()
  client = fixture.client
  images = new ImageStore(path.join(fixture.folder, 'data/images'))
})
afterAll(() => fixture.close())

let count = 0
function tree(files: Record<string, string>): string {
  const folder = path.join(fixture.folder, `tree-${count++}`)
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true })
    writeFileSync(path.join(folder, name), text)
  }
  return folder
}
const createBody = (name: string, image: string, config: object = {}) => ({
  name,
  source: 'external_docker',
  source_config: { listener_id: LISTENER_ID, ...config },
  source_revision_config: { image_uri: image },
  secrets: [{ name: 'GREETING', value: 'from the spec' }],
})
async function deploy(name: string, image: string, config: object = {}, status = 'DEPLOYED') {
  const { body } = await client.request('POST', '/v2/deployments', createBody(name, image, config))
  await client.waitForStatus(body.id, body.latest_revision_id, status)
  return { id: body.id as string, first: body.latest_revision_id as string }
}
const deployLog = (id: string, revision: string) => client.log(id, revision, 'deploy')

test('an image is rolled out without a build, with its digest in the deploy log, and serves with its secrets', async () => {
  const { digest } = await images.pack(tree(graphFiles('packed')), 'agents/one:v1')
  const { id, first } = await deploy('one', 'agents/one:v1')
  expect(await client.about(id)).toMatchObject({ text: 'packed', greeting: 'from the spec', revision: first })
  expect(await deployLog(id, first)).toMatch(new RegExp(`Image agents/one:v1 is ${digest}\\nUnpacked 2 files`))
  expect(await client.log(id, first, 'build')).toBe('')
})

test('a redeploy and a restart keep the digest when the tag moves; a new revision gets the new content', async () => {
  const first = await images.pack(tree(graphFiles('old')), 'agents/moving')
  const { id, first: revision } = await deploy('moving', 'agents/moving')
  const second = await images.pack(tree(graphFiles('new')), 'agents/moving')
  await client.request('POST', `/v2/deployments/${id}/revisions/${revision}/redeploy`)
  await waitFor('it is redeployed', async () => (await deployLog(id, revision)).split(first.digest).length === 3)
  await client.waitForStatus(id, revision, 'DEPLOYED')
  expect((await client.about(id)).text).toBe('old')

  const { cwd } = await client.about(id)
  await fixture.platform.stop()
  rmSync(cwd, { recursive: true })
  await images.remove('agents/moving')
  await fixture.start()
  client = fixture.client
  await waitFor('it serves again', async () => (await client.get(`/agents/${id}/about`)).status === 200)
  expect((await client.about(id)).text).toBe('old')

  const again = await images.pack(tree(graphFiles('new')), 'agents/moving')
  expect(again.digest).toBe(second.digest)
  const patched = await client.patch(`/v2/deployments/${id}`, {
    source_revision_config: { image_uri: `agents/moving@${second.digest}` },
  })
  await client.waitForStatus(id, patched.body.latest_revision_id, 'DEPLOYED')
  expect((await client.about(id)).text).toBe('new')
  await client.request('DELETE', `/v2/deployments/${id}`)
  await waitFor('it is gone', async () => (await client.get(`/v2/deployments/${id}`)).status === 404)
  expect(existsSync(path.join(fixture.folder, 'data/images/pins', id))).toBe(false)
})

test('a revision is DEPLOYED only once requests go to it', async () => {
  await images.pack(tree(graphFiles('before')), 'agents/switched:v1')
  await images.pack(tree(graphFiles('after')), 'agents/switched:v2')
  const { id } = await deploy('switched', 'agents/switched:v1')
  const { activate } = Store.prototype
  let goOn = () => {}
  const held = new Promise<void>((resolve) => {
    goOn = resolve
  })
  // The database has committed, and its acknowledgement is late.
  const spy = vi.spyOn(Store.prototype, 'activate').mockImplementation(async function (this: Store, ...args) {
    const isActive = await activate.apply(this, args)
    await held
    return isActive
  })
  try {
    const { body } = await client.patch(`/v2/deployments/${id}`, {
      source_revision_config: { image_uri: 'agents/switched:v2' },
    })
    await client.waitForStatus(id, body.latest_revision_id, 'DEPLOYED')
    expect((await client.about(id)).text).toBe('after')
  } finally {
    goOn()
    spy.mockRestore()
  }
  await client.request('DELETE', `/v2/deployments/${id}`)
})

test('an unknown image is DEPLOY_FAILED with similar names in the deploy log, and the previous one keeps serving', async () => {
  await images.pack(tree(graphFiles('here')), 'agents/known:v1')
  const { id, first } = await deploy('unknown', 'agents/known:v1')
  const { body } = await client.patch(`/v2/deployments/${id}`, {
    source_revision_config: { image_uri: 'agents/knwon:v1' },
  })
  await client.waitForStatus(id, body.latest_revision_id, 'DEPLOY_FAILED')
  expect(await deployLog(id, body.latest_revision_id)).toMatch(
    /agents\/knwon:v1 is not in the image store. Similar names: agents\/known:v1/,
  )
  expect(await client.about(id)).toMatchObject({ revision: first })
  // Once the image is packed, the same revision can be deployed.
  await images.pack(tree(graphFiles('late')), 'agents/knwon:v1')
  await client.request('POST', `/v2/deployments/${id}/revisions/${body.latest_revision_id}/redeploy`)
  await waitFor('it serves', async () => (await client.about(id)).text === 'late')
})

test('a deployment answers under an address of its own, which no other one can have meanwhile', async () => {
  await images.pack(tree(graphFiles('addressed')), 'agents/addressed')
  const own = { custom_url: 'https://agents.example.com/one' }
  const { id } = await deploy('addressed', 'agents/addressed', own)
  const ask = (place: string, more = {}) =>
    client.request('GET', place, undefined, { 'x-forwarded-host': 'agents.example.com', ...more })
  expect((await ask('/one/about')).body).toMatchObject({ text: 'addressed' })
  expect((await ask('/one/about', { 'x-api-key': 'another' })).status).toBe(403)
  expect((await client.get('/one/about')).status).toBe(404)
  const create = (config: object) =>
    client.request('POST', '/v2/deployments', createBody('second', 'agents/addressed', config))
  for (const config of [own, { custom_url: fixture.platform.url }]) {
    const { status, body } = await create(config)
    expect([status, body.detail[0].loc]).toEqual([422, ['body', 'source_config', 'custom_url']])
  }
  await client.patch(`/v2/deployments/${id}`, { source_config: { custom_url: 'https://agents.example.com/two' } })
  expect((await ask('/two/about')).body).toMatchObject({ text: 'addressed' })
  expect((await create(own)).status).toBe(201)
})

describe('the resource spec', () => {
  test('unsupported settings are listed in the deploy log, the rest is applied', async () => {
    await images.pack(tree(graphFiles('spec')), 'agents/spec')
    const resource_spec = {
      ...{ min_scale: 1, max_scale: 3, cpu: 2, memory_mb: 512, labels: { team: 'x' }, annotations: {} },
      ...{ volumes: [{ name: 'data', emptyDir: {} }], volume_mounts: [{ name: 'data', mountPath: '/data' }] },
    }
    const { id, first } = await deploy('spec', 'agents/spec', { resource_spec })
    const log = await deployLog(id, first)
    expect(log).toContain('Memory limit: 1024 MB, of that 768 MB for JavaScript objects.')
    const [, named] = /Stored but not applied here: (.*)\./.exec(log) ?? []
    expect(named?.split(', ').sort()).toEqual([
      'cpu',
      'labels',
      'max_scale 3 (one replica runs)',
      'volume_mounts',
      'volumes',
    ])
  })

  test('min_scale keeps that many processes, which take turns; one that crashes is replaced while the others serve', async () => {
    await images.pack(tree(graphFiles('scaled')), 'agents/scaled')
    const { id, first } = await deploy('scaled', 'agents/scaled', { resource_spec: { min_scale: 3, max_scale: 3 } })
    const ask = (resource: string) => client.get(`/agents/${id}/${resource}`)
    const instances = async () => {
      const answers = await Promise.all(Array.from({ length: 12 }, () => ask('about')))
      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
      return new Set(answers.map(({ body }) => body.instance as string))
    }
    const before = await instances()
    expect(before.size).toBe(3)
    // The gateway repeats no POST, so this ends one process.
    await client.request('POST', `/agents/${id}/crash`).catch(() => {})
    await waitFor('it is noticed', async () =>
      /Process \d+ exited: exit code 3. 2 of 3 go on/.test(await deployLog(id, first)),
    )
    expect((await instances()).size).toBe(2)
    await waitFor('it is replaced', async () => (await instances()).size === 3)
    const after = [...(await instances())]
    expect(after.filter((one) => before.has(one))).toHaveLength(2)
    const log = await deployLog(id, first)
    expect(log).toContain('Replicas: 3 processes, which share its runs.')
    expect(log).not.toContain('not applied here')
    const { pid } = await client.about(id)
    await client.request('DELETE', `/v2/deployments/${id}`)
    await waitFor('it is gone', async () => (await client.get(`/v2/deployments/${id}`)).status === 404)
    expect(isAlive(pid)).toBe(false)
  })

  test('when all processes end, the deployment starts again as a whole', async () => {
    await images.pack(tree(graphFiles('both')), 'agents/both')
    const { id, first } = await deploy('both', 'agents/both', { resource_spec: { min_scale: 2 } })
    const crash = () => client.request('POST', `/agents/${id}/crash`).catch(() => {})
    await Promise.all([crash(), crash()])
    await waitFor('it is noticed', async () => /agent server exited: exit code 3/.test(await deployLog(id, first)))
    await waitFor('it serves again', async () => (await client.get(`/agents/${id}/about`)).status === 200)
    await client.request('DELETE', `/v2/deployments/${id}`)
  })

  test('a process over its memory limit is killed, and the deploy log has the figures', async () => {
    const greedy =
      'const kept = []; setTimeout(() => { for (let n = 0; n < 30; n += 1) kept.push(Buffer.alloc(10_000_000, 1)) }, 600)'
    await images.pack(
      tree({ ...graphFiles('greedy'), 'main.mjs': `${graphFiles('greedy')['main.mjs']}${greedy}` }),
      'agents/greedy',
    )
    const { id, first } = await deploy('greedy', 'agents/greedy', { resource_spec: { memory_limit_mb: 150 } })
    const { pid } = await client.about(id)
    await waitFor('it is ended', () => !isAlive(pid))
    await waitFor('the log says why', async () =>
      /server exited.*it used \d+ MB and its memory limit is 150 MB/.test(await deployLog(id, first)),
    )
    await client.request('DELETE', `/v2/deployments/${id}`)
  })

  test('a memory limit too low to start fails the roll-out with the reason', async () => {
    await images.pack(
      tree({
        ...graphFiles('tight'),
        'main.mjs': 'await new Promise((r) => setTimeout(r, 60_000)); export const graph = {}',
      }),
      'agents/tight',
    )
    const { id, first } = await deploy(
      'tight',
      'agents/tight',
      { resource_spec: { memory_limit_mb: 20 } },
      'DEPLOY_FAILED',
    )
    expect(await deployLog(id, first)).toMatch(
      /ended before it was ready: it used \d+ MB and its memory limit is 20 MB/,
    )
  })
})

test('an image with its own packages runs on them, on the real agent server', async () => {
  const own = mkdtempSync(path.join(os.tmpdir(), 'pilothouse-own-'))
  const real = await createFixture({ agentServerEntry: undefined, readyTimeoutMs: 60_000 })
  try {
    // A stand-in for the runtime package that identifies itself and uses the platform's copy.
    const lent = realpathSync('node_modules/@langchain/langgraph/dist/index.js')
    const write = (name: string, text: string) => {
      mkdirSync(path.dirname(path.join(own, name)), { recursive: true })
      writeFileSync(path.join(own, name), text)
    }
    write('graph.json', '{"graphs":{"main":"./main.mjs:graph"}}')
    write(
      'node_modules/@langchain/langgraph/package.json',
      '{"name":"@langchain/langgraph","type":"module","exports":"./index.js"}',
    )
    write(
      'node_modules/@langchain/langgraph/index.js',
      `export * from ${JSON.stringify(lent)}\nexport const mark = 'its own copy'\n`,
    )
    write(
      'main.mjs',
      `import { Annotation, END, mark, START, StateGraph } from '@langchain/langgraph'
       const State = Annotation.Root({ said: Annotation() })
       export const graph = new StateGraph(State).addNode('say', () => ({ said: mark + ' ' + process.env.GREETING })).addEdge(START, 'say').addEdge('say', END).compile()`,
    )
    await new ImageStore(path.join(real.folder, 'data/images')).pack(own, 'agents/own:v1')
    client = real.client
    const { id } = await deploy('own', 'agents/own:v1', { resource_spec: { memory_limit_mb: 512 } })
    const run = await client.request('POST', `/agents/${id}/runs/wait`, { assistant_id: 'main', input: {} })
    expect(run.body).toMatchObject({ said: 'its own copy from the spec' })
  } finally {
    client = fixture.client
    await real.close()
    rmSync(own, { recursive: true, force: true })
  }
}, 60_000)
