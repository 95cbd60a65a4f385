/** Everything that the console, the platform and its deployments keep in a database. */
export const SCHEMAS = ['console', 'platform', 'drizzle', 'agent_*']

/** For PostgreSQL's own programs: an address on their command line could be read by every user. */
export function postgresEnv(address) {
  const url = new URL(address)
  const text = (value) => decodeURIComponent(value) || undefined
  return {
    ...process.env,
    PGHOST: text(url.hostname),
    PGPORT: text(url.port),
    PGUSER: text(url.username),
    PGPASSWORD: text(url.password),
    PGDATABASE: text(url.pathname.slice(1)),
    ...(url.searchParams.has('sslmode') && { PGSSLMODE: url.searchParams.get('sslmode') ?? undefined }),
  }
}
