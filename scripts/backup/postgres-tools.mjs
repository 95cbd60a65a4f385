/** Everything that the console, the platform and its deployments keep in a database. */
export const SCHEMAS = ['console', 'platform', 'drizzle', 'agent_*']

/** What the driver's modes are for those programs: it checks certificates in each that asks for TLS. */
const MODES = { prefer: 'verify-full', require: 'verify-full', 'verify-ca': 'verify-full', 'no-verify': 'require' }

/**
 * For PostgreSQL's own programs: an address on their command line could be read by every user.
 * @returns {NodeJS.ProcessEnv}
 */
export function postgresEnv(address) {
  const url = new URL(address)
  const text = (value) => decodeURIComponent(value) || undefined
  const given = (name) => url.searchParams.get(name) ?? undefined
  const asked = given('sslmode')
  const mode = given('uselibpqcompat') === 'true' ? asked : (MODES[asked] ?? asked)
  const env = {
    PGHOST: given('host') ?? text(url.hostname),
    PGPORT: text(url.port),
    PGUSER: text(url.username),
    PGPASSWORD: text(url.password),
    PGDATABASE: text(url.pathname.slice(1)),
    PGSSLMODE: mode,
    PGSSLROOTCERT: given('sslrootcert'),
    PGSSLCERT: given('sslcert'),
    PGSSLKEY: given('sslkey'),
  }
  const named = Object.entries(env).filter(([, value]) => value !== undefined)
  // Without a file, those programs would trust nobody.
  const usual = mode === 'verify-full' && { PGSSLROOTCERT: 'system' }
  return { ...usual, ...process.env, ...Object.fromEntries(named) }
}
