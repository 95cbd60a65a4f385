import { createHmac } from 'node:crypto'
import { sql } from 'drizzle-orm'
import { type Database, type Db, reasonOf } from './database'
import { giveSchema } from './ownership.mjs'

/** The PostgreSQL schema that all revisions of a deployment share, and the role that owns it. */
export const agentSchemaName = (deploymentId: string): string => `agent_${deploymentId.replaceAll('-', '')}`

/** Those of an agent server's pool, and one that listens. */
const SERVER_CONNECTIONS = 11
/** As many as run on one machine. */
const LEAST_SERVERS = 4
/** Two revisions at once during a switch, and some servers that were just killed. */
const connectionsFor = (servers: number) => (2 * Math.max(servers, LEAST_SERVERS) + 2) * SERVER_CONNECTIONS
/** Deployments start concurrently, and some statements about roles lock a shared catalog. */
const CHANGING_ROLES = 72_616_003

/** Where agent servers of a deployment connect, `poolerUrl` for all but what a pooler in transaction mode cannot do. */
export type AgentDatabase = { databaseUrl: string; poolerUrl?: string }

export type AgentDatabases = {
  /** Whether each deployment has its own role; otherwise all use the platform's. */
  readonly isSeparate: boolean
  /**
   * The database address of a deployment's agent servers. Creates its role and schema if needed, and lets it open the
   * connections of a revision of at most so many servers.
   */
  addressOf(deploymentId: string, servers?: number): Promise<AgentDatabase>
  /** Drops the schema and the role. */
  remove(deploymentId: string): Promise<void>
}

/**
 * One role per deployment, which owns its schema and can read nothing else; its password is derived from the seal key.
 * If the platform's role cannot create roles, all deployments connect as the platform.
 */
export async function openAgentDatabases(
  { db, upkeep }: Pick<Database, 'db' | 'upkeep'>,
  { url, directUrl = url }: { url: string; directUrl?: string },
  sealKey: Buffer,
  log: (line: string) => void,
): Promise<AgentDatabases> {
  const { mayCreate: isSeparate, name } = await ownRole(db)
  if (!isSeparate)
    log(
      `The database role "${name}" may not create roles: deployments connect as this role and can read everything that it can.`,
    )
  const ready = new Map<string, { made: Promise<void>; servers: number }>()

  return {
    isSeparate,
    async addressOf(deploymentId, servers = 0) {
      const role = agentSchemaName(deploymentId)
      const password = createHmac('sha256', sealKey).update(`database password of ${role}`).digest('base64url')
      const found = ready.get(role)
      const make = () => (isSeparate ? makeRole(db, role, password, connectionsFor(servers)) : makeSchema(db, role))
      const one = found && found.servers >= servers ? found : { made: make(), servers }
      ready.set(role, one)
      await one.made.catch((error: unknown) => {
        ready.delete(role)
        throw new Error(`The database could not be prepared: ${reasonOf(error)}`)
      })
      if (!isSeparate) return { databaseUrl: directUrl } // in a pooler, a role has one schema
      const as = (address: string) => Object.assign(new URL(address), { username: role, password }).href
      return { databaseUrl: as(directUrl), ...(url !== directUrl && { poolerUrl: as(url) }) }
    },
    async remove(deploymentId) {
      const role = agentSchemaName(deploymentId)
      ready.delete(role)
      await upkeep.execute(sql`drop schema if exists ${sql.identifier(role)} cascade`)
      if (isSeparate) await upkeep.transaction((tx) => removeLogin(async (text) => tx.execute(sql.raw(text)), role))
    },
  }
}

/** The platform's own role, and whether it may create others. */
export async function ownRole(db: Db): Promise<{ name: string; mayCreate: boolean }> {
  const { rows } = await db.execute<{ name: string; may_create: boolean }>(
    sql`select rolname as name, (rolsuper or rolcreaterole) as may_create from pg_roles where rolname = current_user`,
  )
  return { name: rows[0]?.name ?? '', mayCreate: rows[0]?.may_create === true }
}

async function makeSchema(db: Db, name: string): Promise<void> {
  await db.execute(sql`create schema if not exists ${sql.identifier(name)}`)
}

async function makeRole(db: Db, role: string, password: string, connections: number): Promise<void> {
  await db.transaction(async (tx) => {
    const query = async (text: string) => tx.execute(sql.raw(text))
    await ensureLogin(query, role, password, connections)
    await query(`create schema if not exists ${role} authorization ${role}`)
    await query(`alter role ${role} set search_path = ${role}`) // poolers refuse it at the start of a connection
    // Created by an earlier version and owned by the platform's role.
    await giveSchema(query, role, role)
  })
}

type Run = (text: string) => Promise<{ rows: Record<string, unknown>[] }>

/**
 * In a transaction: makes a role that may connect and nothing else, and that the platform's role may act as. Never takes
 * connections from it: those of a former revision may still be open.
 */
export async function ensureLogin(
  query: Run,
  role: string,
  password: string,
  connections = connectionsFor(0),
): Promise<void> {
  await query(`select pg_advisory_xact_lock(${CHANGING_ROLES})`)
  const { rows } = await query(
    `select current_setting('server_version_num')::int as version, format('%I', current_user) as me,
         format('%I', current_database()) as database,
         (select rolconnlimit from pg_roles where rolname = '${role}') as limit`,
  )
  const { version, me, database, limit } = rows[0] as {
    version: number
    me: string
    database: string
    limit: number | null
  }
  // An operator may have removed the limit.
  const most = limit === -1 ? limit : Math.max(limit ?? 0, connections)
  if (limit === null) await query(`create role ${role}`)
  // Since PostgreSQL 16, the creator of a role may administer it, but not act as it.
  await query(`grant ${role} to ${me}${version >= 160_000 ? ' with inherit true, set true' : ''}`)
  await query(`alter role ${role} login connection limit ${most} password '${password}'`)
  await query(`grant connect on database ${database} to ${role}`)
}

/** In a transaction: removes a role with all that it owns and may do, if it is there. */
export async function removeLogin(query: Run, role: string): Promise<void> {
  await query(`select pg_advisory_xact_lock(${CHANGING_ROLES})`)
  const { rows } = await query(`select from pg_roles where rolname = '${role}'`)
  if (!rows.length) return
  await query(`drop owned by ${role}`)
  await query(`drop role ${role}`)
}
