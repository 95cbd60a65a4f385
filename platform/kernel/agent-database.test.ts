import { randomUUID } from 'node:crypto'
import { drizzle } from 'drizzle-orm/node-postgres'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { query, testDatabase } from '@/scripts/testing'
import { agentSchemaName, openAgentDatabases } from './agent-database'
import * as schema from './schema'

let database: Awaited<ReturnType<typeof testDatabase>>
beforeAll(async () => {
  database = await testDatabase()
})
afterAll(() => database.drop())

const sealKey = Buffer.alloc(32, 1)
/** The deployments' databases of a platform with this database address. */
async function open(url: string) {
  const pool = new pg.Pool({ connectionString: url })
  pool.on('error', () => {}) // the end of the database may arrive before that of the pool
  const lines: string[] = []
  const db = drizzle(pool, { schema })
  const databases = await openAgentDatabases({ db, upkeep: db }, { url }, sealKey, (line) => lines.push(line))
  return { databases, lines, close: () => pool.end() }
}
/** A role that is not a superuser. */
async function platformRole(rights: string) {
  const name = `platform_${randomUUID().replaceAll('-', '').slice(0, 12)}`
  const { pathname } = new URL(database.url)
  await query(database.url, `create role ${name} login ${rights} password 'p'`)
  await query(database.url, `grant create on database ${pathname.slice(1)} to ${name}`)
  return { name, url: Object.assign(new URL(database.url), { username: name, password: 'p' }).href }
}

test('a deployment owns its schema, reads nothing of others and can assume no other role', async () => {
  const platform = await platformRole('createrole')
  const { databases, close } = await open(platform.url)
  const [mine, other] = [randomUUID(), randomUUID()]
  const [{ databaseUrl: url }, { databaseUrl: otherUrl }] = await Promise.all([
    databases.addressOf(mine),
    databases.addressOf(other),
  ])
  await query(otherUrl, `create table ${agentSchemaName(other)}.threads (n int)`)
  await query(url, `create table ${agentSchemaName(mine)}.threads (n int)`)
  for (const [statement, refusal] of [
    [`select * from ${agentSchemaName(other)}.threads`, /permission denied for schema/],
    [`set role ${agentSchemaName(other)}`, /permission denied to set role/],
    [`set role ${platform.name}`, /permission denied to set role/],
    ['create schema more', /permission denied for database/],
    ['create role more', /permission denied to create role/],
    ["copy (select 1) to program 'true'", /permission denied to COPY to or from an external program/],
    ["select pg_read_file('PG_VERSION')", /permission denied for function/],
  ] as const)
    await expect(query(url, statement), statement).rejects.toThrow(refusal)
  await databases.remove(mine)
  await expect(query(url, 'select 1')).rejects.toThrow(/authentication failed/)
  expect(await query(database.url, `select from pg_namespace where nspname = '${agentSchemaName(mine)}'`)).toEqual([])
  await databases.remove(other)
  await close()
})

test('objects that an earlier version created as the platform become the deployment’s own', async () => {
  const platform = await platformRole('createrole')
  const id = randomUUID()
  const name = agentSchemaName(id)
  await query(
    platform.url,
    `create schema ${name}; create type ${name}.mood as enum ('calm');
     create table ${name}.threads (id serial primary key, n int generated always as identity, mood ${name}.mood);
     insert into ${name}.threads (mood) values ('calm')`,
  )
  const { databases, close } = await open(platform.url)
  const { databaseUrl: url } = await databases.addressOf(id)
  await query(url, `alter table ${name}.threads add column more text`)
  await query(url, `insert into ${name}.threads (mood) values ('calm')`)
  expect(await query(url, `select id, n, more from ${name}.threads`)).toHaveLength(2)
  await databases.remove(id)
  await close()
})

test('a role that cannot create roles is reported in one line, and its deployments connect as it', async () => {
  const platform = await platformRole('nocreaterole')
  const { databases, lines, close } = await open(platform.url)
  expect(lines).toEqual([expect.stringContaining(`"${platform.name}" may not create roles`)])
  const id = randomUUID()
  expect([databases.isSeparate, await databases.addressOf(id)]).toEqual([false, { databaseUrl: platform.url }])
  await query(platform.url, `create table ${agentSchemaName(id)}.threads (n int)`)
  await databases.remove(id)
  await close()
})

test('a role may connect as often as two revisions need, and more once a revision has more pods', async () => {
  const platform = await platformRole('createrole')
  const id = randomUUID()
  const limit = async () => {
    const [row] = await query(
      database.url,
      `select rolconnlimit from pg_roles where rolname = '${agentSchemaName(id)}'`,
    )
    return row?.rolconnlimit
  }
  const first = await open(platform.url)
  await first.databases.addressOf(id)
  expect(await limit()).toBe(110)
  await first.databases.addressOf(id, 20)
  const raised = await limit()
  expect(raised).toBeGreaterThanOrEqual(2 * 20 * 11)
  await first.close()
  // The pods of the former revision may still be there, also after a restart of the platform.
  const second = await open(platform.url)
  await second.databases.addressOf(id, 2)
  expect(await limit()).toBe(raised)
  await query(platform.url, `alter role ${agentSchemaName(id)} connection limit -1`)
  await second.databases.addressOf(id, 21)
  expect(await limit()).toBe(-1)
  await second.databases.remove(id)
  await second.close()
})
