import { gzipSync } from 'node:zlib'
import { pack } from 'tar-stream'
import { expect, test } from 'vitest'
import { graphFiles, waitFor } from '../../testing/platform-fixture'
import { conformance, GIT, refusedFields, UNKNOWN_ID } from './testing'

const it = conformance()
const request = (method: string, path: string, body?: unknown) => it.fixture.client.request(method, path, body)
const ofTool = (name: string, fields: Record<string, unknown> = {}) => ({
  name,
  source: 'internal_source',
  source_config: { deployment_type: 'dev_zero' },
  source_revision_config: {},
  secrets: [],
  ...fields,
})

async function archive(entries: Record<string, string>, more: (tar: ReturnType<typeof pack>) => void = () => {}) {
  const tar = pack()
  for (const [name, text] of Object.entries(entries)) tar.entry({ name }, text)
  more(tar)
  tar.finalize()
  const chunks: Buffer[] = []
  for await (const chunk of tar) chunks.push(chunk)
  return gzipSync(Buffer.concat(chunks))
}

const place = async (id: string) =>
  (await it.call('createUploadUrl', { params: { deployment_id: id }, body: { supports_upload_headers: true } })).body
const put = (url: string, body: Uint8Array) => fetch(url, { method: 'PUT', body: Buffer.from(body) })

async function uploaded(id: string, body: Uint8Array): Promise<string> {
  const { upload_url, object_path } = await place(id)
  expect((await put(upload_url, body)).status).toBe(200)
  return object_path
}
const build = (id: string, object_path: string, config = 'graph.json') =>
  request('PATCH', `/v2/deployments/${id}`, {
    revision_source: 'internal_source',
    source_revision_config: { source_tarball_path: object_path, langgraph_config_path: config },
    secrets: [],
  })
const created = async (name: string): Promise<string> => {
  const { status, body } = await request('POST', '/v2/deployments', ofTool(name))
  expect(status).toBe(201)
  expect(body.latest_revision_id).toBeNull()
  return body.id
}

test('a folder is uploaded, built and served; its logs have pages', async () => {
  const id = await created('uploaded')
  const path = await uploaded(id, await archive(graphFiles('from a folder')))
  const { status, body } = await build(id, path)
  expect(status).toBe(200)
  const revision = body.latest_revision_id
  await it.fixture.client.waitForStatus(id, revision, 'DEPLOYED')
  expect((await it.fixture.client.about(id)).text).toBe('from a folder')

  const logs = (kind: string, filter: object) => request('POST', `/v1/projects/${id}/${kind}`, filter)
  const first = await logs(`revisions/${revision}/build_logs`, { order: 'asc', limit: 1 })
  expect(first.body.logs).toMatchObject([{ message: 'Unpacked 2 files of the uploaded source.' }])
  const next = await logs(`revisions/${revision}/build_logs`, { order: 'asc', offset: first.body.next_offset })
  expect(next.body.logs[0].message).toContain('graph.json names 1 graph')
  const found = await logs('deploy_logs', { limit: 100, order: 'desc', query: 'Every graph loads', level: 'INFO' })
  expect(found.body.logs).toHaveLength(1)
  expect((await logs(`revisions/${revision}/deploy_logs`, { limit: 1 })).body.logs).toHaveLength(1)
  expect(refusedFields(await logs('deploy_logs', { page: 1 }))).toEqual(['body.page: extra_forbidden'])
})

test('a revision of an upload can be rolled out again, and other settings keep its source', async () => {
  const id = await created('again')
  const { body } = await build(id, await uploaded(id, await archive(graphFiles())))
  await it.fixture.client.waitForStatus(id, body.latest_revision_id, 'DEPLOYED')
  const changed = await request('PATCH', `/v2/deployments/${id}`, { secrets: [{ name: 'A', value: 'b' }] })
  expect(changed.body.latest_revision_id).not.toBe(body.latest_revision_id)
  await it.fixture.client.waitForStatus(id, changed.body.latest_revision_id, 'DEPLOYED')
})

test('an address takes one upload, of its deployment, and only as it was signed', async () => {
  const [id, other] = [await created('one'), await created('other')]
  const { upload_url, object_path } = await place(id)
  const tampered = [
    upload_url.replace(id, other),
    upload_url.replace(/expires=\d/, 'expires=9'),
    upload_url.replace(/signature=.*/, ''),
    upload_url.replace(/signature=(.)/, (_: string, first: string) => `signature=${first === 'a' ? 'b' : 'a'}`),
  ]
  for (const url of tampered) expect((await put(url, Buffer.from('x'))).status).toBe(403)
  expect(refusedFields(await build(id, object_path))).toEqual([
    'body.source_revision_config.source_tarball_path: value_error',
  ])
  expect((await put(upload_url, Buffer.from('x'))).status).toBe(200)
  expect((await put(upload_url, Buffer.from('y'))).status).toBe(409)
  expect(refusedFields(await build(other, object_path))).toEqual([
    'body.source_revision_config.source_tarball_path: value_error',
  ])
  expect((await build(id, '../../../etc/passwd')).status).toBe(422)
})

test('an archive cannot leave its folder, its links are left out, and a broken one says so', async () => {
  const id = await created('hostile')
  const failed = async (body: Uint8Array) => {
    const revision = (await build(id, await uploaded(id, body))).body.latest_revision_id
    await it.fixture.client.waitForStatus(id, revision, 'BUILD_FAILED')
    return it.fixture.client.log(id, revision, 'build')
  }
  expect(await failed(Buffer.from('no archive'))).toContain('The uploaded archive cannot be unpacked')
  expect(await failed(await archive({ '../out': 'x' }))).toContain('outside its folder: "../out"')
  expect(await failed(await archive({ '/tmp/out': 'x' }))).toContain('outside its folder: "/tmp/out"')
  const linked = await archive({}, (tar) => {
    tar.entry({ name: 'graph.json', type: 'symlink', linkname: '/etc/passwd' })
    tar.entry({ name: 'kept' }, 'x')
  })
  const log = await failed(linked)
  expect(log).toContain('Links are left out: graph.json')
  expect(log).toContain('"graph.json" does not exist in the source')
})

test('without an upload there is nothing to build; a deleted deployment takes none', async () => {
  const id = await created('empty')
  expect((await request('PATCH', `/v2/deployments/${id}`, { secrets: [] })).body.latest_revision_id).toBeNull()
  expect(await request('POST', `/v2/deployments/${id}/revisions`, {})).toMatchObject({ status: 400 })
  const { upload_url } = await place(id)
  await request('DELETE', `/v2/deployments/${id}`)
  await waitFor('deleted', async () => (await request('GET', `/v2/deployments/${id}`)).status === 404)
  expect((await put(upload_url, Buffer.from('x'))).status).toBe(404)
})

test('what is not available is answered plainly', async () => {
  const git = await it.park('of-git')
  expect(await request('POST', `/v2/deployments/${git}/upload-url`)).toMatchObject({
    status: 400,
    body: { detail: expect.stringContaining('source github') },
  })
  expect(
    await request('POST', `/v2/deployments/${git}/push-token`, { supports_registry_username: true }),
  ).toMatchObject({ status: 400, body: { detail: expect.stringContaining('--remote') } })
  expect((await request('POST', `/v2/deployments/${UNKNOWN_ID}/upload-url`)).status).toBe(404)
  expect((await request('POST', `/v1/projects/${UNKNOWN_ID}/deploy_logs`, {})).status).toBe(404)
  const docker = await request('POST', '/v2/deployments', ofTool('docker', { source: 'internal_docker' }))
  expect(docker).toMatchObject({ status: 400, body: { detail: expect.stringContaining('--remote') } })
  const early = ofTool('early', { source_revision_config: { source_tarball_path: 'uploads/x' } })
  expect(refusedFields(await request('POST', '/v2/deployments', early))).toEqual([
    'body.source_revision_config.source_tarball_path: value_error',
  ])
  const zero = { ...GIT, deployment_type: 'dev_zero' }
  const body = { ...ofTool('zero'), source: 'github', source_config: zero }
  const revision = { repo_ref: 'main', graph_config_path: 'g' }
  expect(
    refusedFields(await request('POST', '/v2/deployments', { ...body, source_revision_config: revision })),
  ).toEqual(['body.source_config.deployment_type: enum'])
})

test('the address that the tool prints for a browser leads to the console, without a key', async () => {
  const open = (path: string) => fetch(`${it.fixture.platform.url}${path}`, { redirect: 'manual' })
  const found = await open(`/o/${UNKNOWN_ID}/host/deployments/${UNKNOWN_ID}`)
  expect([found.status, found.headers.get('location')]).toEqual([
    302,
    `https://console.example/local/deployments/${UNKNOWN_ID}`,
  ])
  expect((await open(`/o/${UNKNOWN_ID}/host/deployments/..%2F..%2Felsewhere`)).status).toBe(401)
})
