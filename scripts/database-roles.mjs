// The roles of the embedded database: one each for the console and the platform, which cannot read each other's
// schemas. The superuser is only used here and by `audit:verify`.
import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import pg from 'pg'
import { giveSchema } from '../platform/kernel/ownership.mjs'

const CONSOLE = 'pilothouse_console'
const PLATFORM = 'pilothouse_platform'
/** Has the migration tables of both. */
const MIGRATIONS = 'drizzle'

/** Passwords, created on first use and readable only by this user. */
function passwordsIn(file) {
  if (!existsSync(file)) {
    const make = () => randomBytes(24).toString('base64url')
    const draft = `${file}.${process.pid}`
    writeFileSync(draft, JSON.stringify({ console: make(), platform: make() }), { mode: 0o600 })
    renameSync(draft, file)
  }
  return JSON.parse(readFileSync(file, 'utf8'))
}

/**
 * Makes the roles where they are missing and gives them what an earlier version left to the superuser. Gives the addresses with
 * which the console and the platform connect.
 * @param {string} ownerUrl the superuser's address
 * @param {string} passwordFile
 */
export async function ensureRoles(ownerUrl, passwordFile) {
  const passwords = passwordsIn(passwordFile)
  const client = new pg.Client({ connectionString: ownerUrl })
  await client.connect()
  /** @param {string} text @param {unknown[]} [values] */
  const query = (text, values) => client.query(text, values)
  try {
    await query('begin')
    const { rows } = await query('select rolname from pg_roles')
    for (const [role, password, rights] of [
      [CONSOLE, passwords.console, 'nocreaterole'],
      [PLATFORM, passwords.platform, 'createrole'],
    ]) {
      if (!rows.some(({ rolname }) => rolname === role)) await query(`create role ${role}`)
      await query(`alter role ${role} login nosuperuser nocreatedb ${rights} password '${password}'`)
    }
    await query(`
      revoke all on database postgres, template1 from public;
      revoke all on schema public from public;
      grant connect, create, temporary on database postgres to ${CONSOLE};
      grant create, temporary on database postgres to ${PLATFORM};
      grant connect on database postgres to ${PLATFORM} with grant option;
      create schema if not exists ${MIGRATIONS};
      grant usage, create on schema ${MIGRATIONS} to ${CONSOLE}, ${PLATFORM};
    `)
    await giveSchema(query, 'console', CONSOLE)
    await giveSchema(query, 'platform', PLATFORM)
    for (const [table, role] of [
      ['console_migrations', CONSOLE],
      ['platform_migrations', PLATFORM],
    ])
      await query(`alter table if exists ${MIGRATIONS}.${table} owner to ${role}`)
    // The platform gives each to the role of its deployment.
    const { rows: agents } = await query(
      "select nspname from pg_namespace where nspname ~ '^agent_[0-9a-f]{32}$' and nspowner = current_user::regrole",
    )
    for (const { nspname } of agents) await giveSchema(query, nspname, PLATFORM)
    await query('commit')
  } finally {
    await client.end()
  }
  const as = (user, password) => Object.assign(new URL(ownerUrl), { username: user, password }).href
  return { consoleUrl: as(CONSOLE, passwords.console), platformUrl: as(PLATFORM, passwords.platform) }
}
