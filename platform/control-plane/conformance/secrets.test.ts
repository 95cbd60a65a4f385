import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import pg from 'pg'
import { beforeAll, expect, test } from 'vitest'
import { RESERVED_SECRET_NAMES, SELF_HOSTED_SECRET_NAMES } from '@/lib/contracts/deployments/deployment-rules'
import { createClient, graphFiles, waitFor } from '../../testing/platform-fixture'
import { conformance, gitBody, imageBody, refusedFields } from './testing'

const it = conformance()
const TOKEN = 'tell-nobody-☃'
const KEY = '-----BEGIN KEY-----\nfirst-line-of-it\nsecond-line-of-it\n-----END KEY-----'
const SECRETS = [
  { name: 'TOKEN', value: TOKEN },
  { name: 'KEY', value: KEY },
  { name: 'PIN', value: '#42' },
  { name: 'EMPTY', value: '' },
]
/** Text that must appear nowhere; the PIN is too short to search for in bytes. */
const TRACES = [TOKEN, 'first-line-of-it', 'second-line-of-it']

let id: string
let revision: string
beforeAll(async () => {
  const client = createClient(it.fixture.platform)
  const repository = it.fixture.repository()
  repository.commit({
    ...graphFiles(),
    // Prints values in pieces, as a whole and on both streams, like careless code.
    'main.mjs': `
      const { TOKEN, KEY, PIN } = process.env
      process.stdout.write('in pieces: ' + TOKEN.slice(0, 5))
      await new Promise((resolve) => setTimeout(resolve, 60))
      process.stdout.write(TOKEN.slice(5) + ' and on\\n')
      console.error(KEY)
      console.log(JSON.stringify({ level: 'info', message: 'as JSON: ' + KEY, more: { TOKEN } }))
      console.log('PIN=' + PIN + ' ' + PIN + '3')
      console.log('?token=' + encodeURIComponent(TOKEN))
      export const graph = { text: 'x' }\n`,
  })
  const created = await client.create('secrets', repository.url, { secrets: SECRETS })
  id = created.body.id
  revision = created.body.latest_revision_id
  await client.waitForStatus(id, revision, 'DEPLOYED')
}, 30_000)

test('secrets are returned as they were sent, in order, by every operation that returns the deployment', async () => {
  const params = { deployment_id: id }
  expect((await it.call('getDeployment', { params })).body.secrets).toEqual(SECRETS)
  expect((await it.call('updateDeployment', { params, body: {} })).body.secrets).toEqual(SECRETS)
  const { resources } = (await it.call('listDeployments', { query: { name: 'secrets' } })).body
  expect(resources[0].secrets).toEqual(SECRETS)
})

test('the agent server has them as environment variables', async () => {
  const { names } = await it.fixture.client.about(id)
  expect(names).toEqual(expect.arrayContaining(['TOKEN', 'KEY', 'PIN', 'EMPTY']))
})

test('no log line contains a value, even if split over chunks or lines, as JSON, in an address, or short', async () => {
  await waitFor('said', async () => (await it.fixture.client.log(id, revision, 'deploy')).includes('token='))
  const log = await it.fixture.client.log(id, revision, 'deploy')
  for (const trace of [...TRACES, '=#42']) expect(log).not.toContain(trace)
  const lines = log.split('\n')
  expect(lines).toContain('in pieces: •••• and on')
  expect(lines.filter((line) => line === '••••')).toHaveLength(4)
  expect(lines).toContain('as JSON: •••• {"more":{"TOKEN":"••••"}}')
  // As part of a longer word it is not the secret.
  expect(lines).toContain('PIN=•••• #423')
  expect(lines).toContain('?token=••••')
  expect(await it.fixture.client.log(id, revision, 'build')).not.toMatch(TOKEN)
})

test('the platform’s own log lines contain no value either, even after refusals and failures', async () => {
  await it.call('updateDeployment', {
    params: { deployment_id: id },
    body: {
      secrets: [
        { name: 'A', value: TOKEN },
        { name: 'A', value: KEY },
      ],
    },
  })
  await it.call('createDeployment', { body: gitBody('secrets', { secrets: SECRETS }) })
  for (const trace of TRACES) expect(it.fixture.lines.join('\n')).not.toContain(trace)
})

test('a refusal names the location of a secret and never its value', async () => {
  const secrets = [{ name: 'A', value: TOKEN }, { name: 'A', value: TOKEN }, { name: TOKEN, value: 5 }, TOKEN]
  const response = await it.call('createDeployment', { body: gitBody('x', { secrets }) })
  expect(refusedFields(response)).toEqual(['body.secrets.2.value: string_type', 'body.secrets.3: dict_type'])
  expect(JSON.stringify(response.body)).not.toContain(TOKEN)
})

test('at rest they are sealed: no byte of the database’s files or the data folder contains a value', async () => {
  const connection = new pg.Client({ connectionString: it.fixture.database.url })
  await connection.connect()
  try {
    await connection.query('checkpoint')
    const { rows } = await connection.query<{ name: string; bytes: Buffer }>(`
      select oid::regclass::text as name, pg_read_binary_file(pg_relation_filepath(oid)) as bytes
      from pg_class where pg_relation_filepath(oid) is not null and relkind in ('r', 'i', 't') and pg_relation_size(oid) > 0
        and (relnamespace = 'platform'::regnamespace or relname ~ (select string_agg('^pg_toast_' || oid || '(_|$)', '|') from pg_class where relnamespace = 'platform'::regnamespace and relkind = 'r'))`)
    const tables = Object.fromEntries(rows.map(({ name, bytes }) => [name.replace('platform.', ''), bytes]))
    // The search finds a value that is not secret, so it would find a secret.
    expect(tables.deployments?.includes('secrets')).toBe(true)
    expect(tables.revision_logs?.includes('in pieces')).toBe(true)
    for (const { name, bytes } of rows)
      for (const trace of TRACES) expect([name, bytes.includes(trace)]).toEqual([name, false])
  } finally {
    await connection.end()
  }
  const folder = path.join(it.fixture.folder, 'data')
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  expect(files.length).toBeGreaterThan(3)
  for (const file of files) {
    const bytes = readFileSync(path.join(file.parentPath, file.name))
    for (const trace of TRACES) expect([file.name, bytes.includes(trace)]).toEqual([file.name, false])
  }
})

test('two deployments with the same secrets have nothing in common at rest', async () => {
  await it.park('twin-a', { secrets: SECRETS })
  await it.park('twin-b', { secrets: SECRETS })
  const connection = new pg.Client({ connectionString: it.fixture.database.url })
  await connection.connect()
  const { rows } = await connection.query<{ secrets: string }>(
    `select secrets from platform.deployments where name like 'twin-%'`,
  )
  await connection.end()
  const [a, b] = rows.map(({ secrets }) => secrets.split('.').slice(1))
  expect(a?.filter((part) => b?.includes(part))).toEqual([])
})

const secret = (name: string) => [{ name, value: 'x' }]
const refusal = ['body.secrets.0.name: value_error']

test.each([...RESERVED_SECRET_NAMES, 'PILOTHOUSE_AGENT_SECRET'])(
  '%s is set by the platform: refused for every source, on create and update',
  async (name) => {
    const secrets = secret(name)
    expect(refusedFields(await it.call('createDeployment', { body: gitBody('x', { secrets }) }))).toEqual(refusal)
    expect(refusedFields(await it.call('createDeployment', { body: imageBody('x', {}, { secrets }) }))).toEqual(refusal)
    expect(
      refusedFields(await it.call('updateDeployment', { params: { deployment_id: id }, body: { secrets } })),
    ).toEqual(refusal)
  },
)

test('names that only self-hosted deployments may set are refused for a git source and accepted for an image', async () => {
  for (const name of SELF_HOSTED_SECRET_NAMES) {
    expect(refusedFields(await it.call('createDeployment', { body: gitBody('x', { secrets: secret(name) }) }))).toEqual(
      refusal,
    )
    expect(
      refusedFields(
        await it.call('updateDeployment', { params: { deployment_id: id }, body: { secrets: secret(name) } }),
      ),
    ).toEqual(refusal)
  }
  const secrets = [...SELF_HOSTED_SECRET_NAMES].map((name) => ({ name, value: 'x' }))
  const { status, body } = await it.call('createDeployment', { body: imageBody('self-hosted', {}, { secrets }) })
  expect([status, body.secrets]).toEqual([201, secrets])
})

test.each(['1A', 'A-B', 'A B', 'Ä', ''])('"%s" is not a variable name', async (name) => {
  expect(refusedFields(await it.call('createDeployment', { body: gitBody('x', { secrets: secret(name) }) }))).toEqual(
    refusal,
  )
})

test('a duplicate name is refused at its second location', async () => {
  const body = gitBody('x', { secrets: [...secret('A'), ...secret('B'), ...secret('A')] })
  expect(refusedFields(await it.call('createDeployment', { body }))).toEqual(['body.secrets.2.name: value_error'])
})
