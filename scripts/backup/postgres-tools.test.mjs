import { expect, test, vi } from 'vitest'
import { postgresEnv } from './postgres-tools.mjs'

const tls = (query) => {
  const { PGSSLMODE: mode, PGSSLROOTCERT: root } = postgresEnv(`postgres://u:p@database.example.com/x?${query}`)
  return [mode, root]
}

test.each([
  ['', undefined, undefined],
  ['sslmode=disable', 'disable', undefined],
  ['sslmode=verify-full&sslrootcert=/etc/ca.crt', 'verify-full', '/etc/ca.crt'],
  // Without a file of its own, the driver trusts the public authorities, and PostgreSQL's programs nobody.
  ['sslmode=verify-full', 'verify-full', 'system'],
  ['sslmode=require', 'verify-full', 'system'],
  ['sslmode=no-verify', 'require', undefined],
  ['sslmode=require&uselibpqcompat=true', 'require', undefined],
  ['sslmode=verify-ca&uselibpqcompat=true&sslrootcert=/etc/ca.crt', 'verify-ca', '/etc/ca.crt'],
])("PostgreSQL's programs check a certificate as the console does: %s", (query, mode, root) => {
  vi.stubEnv('PGSSLMODE', undefined)
  vi.stubEnv('PGSSLROOTCERT', undefined)
  expect(tls(query)).toEqual([mode, root])
  vi.unstubAllEnvs()
})

test('a client certificate and the folder of a socket are handed on, and nothing else that the address does not name', () => {
  const env = postgresEnv('postgres://u:p%40@localhost/x?host=/run/postgresql&sslcert=/etc/c.crt&sslkey=/etc/c.key')
  expect(env).toMatchObject({ PGHOST: '/run/postgresql', PGSSLCERT: '/etc/c.crt', PGSSLKEY: '/etc/c.key' })
  expect(env).toMatchObject({ PGUSER: 'u', PGPASSWORD: 'p@', PGDATABASE: 'x' })
  expect(env.PGPORT).toBe(process.env.PGPORT)
})
