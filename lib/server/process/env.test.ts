import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { CONSOLE_SECRETS } from '@/scripts/secrets.mjs'
import { parseEnv, settings } from './env'

const least = { DATABASE_URL: 'postgres://someone:hunter2@127.0.0.1:5432/console' }

describe('the environment', () => {
  test('requires only a database', () => {
    expect(parseEnv(least)).toMatchObject({
      PORT: 3000,
      NEXTAUTH_URL: 'http://localhost:3000',
      PILOTHOUSE_DATA: path.resolve('.data'),
      PILOTHOUSE_ADMIN_EMAIL: 'admin@pilothouse.local',
      WIRE_DIALECT: 'auto',
      ALLOWED_UPSTREAMS: [],
      OIDC_ROLE_CLAIM: 'groups',
    })
  })

  test('treats an empty variable as absent', () => {
    const empty = {
      NEXTAUTH_URL: '',
      PORT: ' ',
      PILOTHOUSE_ADMIN_EMAIL: '',
      OIDC_ISSUER: '',
      WIRE_DIALECT: '',
      PILOTHOUSE_ADMIN_PASSWORD: '',
    }
    expect(parseEnv({ ...least, ...empty })).toEqual(parseEnv(least))
  })

  test.each([
    [{ DATABASE_URL: undefined }, /DATABASE_URL: is missing/],
    [{ DATABASE_URL: 'mysql://db' }, /DATABASE_URL: must look like postgres:/],
    [{ PORT: 'three' }, /PORT: must be a number/],
    [{ S3_ENDPOINT: 'http://127.0.0.1:9000' }, /S3_BUCKET: is missing/],
    [{ S3_BUCKET: 'b', S3_ACCESS_KEY_ID: 'id' }, /S3_ACCESS_KEY_ID: and S3_SECRET_ACCESS_KEY are needed together/],
    [{ PORT: '70000' }, /PORT: /],
    [{ NEXTAUTH_URL: 'console.example.com' }, /NEXTAUTH_URL: must be an http or https address/],
    [{ NEXTAUTH_URL: 'https://console.example.com/pilothouse' }, /NEXTAUTH_URL: must have no path/],
    [{ NEXTAUTH_SECRET: 'short' }, /NEXTAUTH_SECRET: must have at least 32 characters/],
    [{ PILOTHOUSE_SEALING_KEY: 'short' }, /PILOTHOUSE_SEALING_KEY: must have at least 32/],
    [{ PILOTHOUSE_ADMIN_EMAIL: 'me' }, /PILOTHOUSE_ADMIN_EMAIL: must be an e-mail address/],
    [{ PILOTHOUSE_ADMIN_PASSWORD: 'letmein' }, /PILOTHOUSE_ADMIN_PASSWORD: must have at least 12/],
    [{ CONTROL_PLANE_URL: 'https://me:pw@host' }, /CONTROL_PLANE_URL: must not contain a user name/],
    [
      { PILOTHOUSE_SIGN_IN: 'link', HOST: '0.0.0.0' },
      /PILOTHOUSE_SIGN_IN: link needs HOST and NEXTAUTH_URL on the loop/,
    ],
    [{ PILOTHOUSE_SIGN_IN: 'link', NEXTAUTH_URL: 'http://box.example.com' }, /PILOTHOUSE_SIGN_IN: link needs HOST/],
    [{ PILOTHOUSE_SIGN_IN: 'link', PILOTHOUSE_ADMIN_PASSWORD: 'a long password' }, /other settings of sign-in/],
    [{ WIRE_DIALECT: 'klingon' }, /WIRE_DIALECT: /],
    [{ AGENT_SERVER_URL: 'http://a, localhost:8123' }, /AGENT_SERVER_URL: must be http or https addresses/],
    [{ AGENT_SERVER_URL: 'http://me:pw@host' }, /AGENT_SERVER_URL: must be http or https addresses without user name/],
    [{ AGENT_SERVER_URL: 'http://a', CONTROL_PLANE_URL: 'http://b' }, /AGENT_SERVER_URL: cannot be set together/],
    [{ OIDC_ISSUER: 'https://id.example.com' }, /OIDC_CLIENT_ID: is missing, while OIDC_ISSUER is set/],
    [{ OIDC_ROLE_MAP: 'operators:admin' }, /OIDC_ROLE_MAP: "operators:admin" is not of the form value=role/],
    [{ OIDC_ROLE_MAP: 'operators=root' }, /OIDC_ROLE_MAP: "operators=root" is not of the form/],
  ])('%o is refused with the expected form', (given, message) => {
    expect(() => parseEnv({ ...least, ...given })).toThrow(message)
  })

  test('names every invalid variable at once, and never a value', () => {
    const given = {
      DATABASE_URL: 'nonsense-9f',
      NEXTAUTH_SECRET: 'secret-9f',
      CONTROL_PLANE_URL: 'ftp://user:pass-9f@x',
      PILOTHOUSE_ADMIN_PASSWORD: 'pw-9f',
    }
    const message = (() => {
      try {
        return String(parseEnv(given))
      } catch (error) {
        return (error as Error).message
      }
    })()
    for (const name of Object.keys(given)) expect(message).toContain(name)
    expect(message).not.toContain('9f')
  })

  test('reads lists with any usual separators', () => {
    const parsed = parseEnv({
      ...least,
      ALLOWED_UPSTREAMS: 'https://a.example.com, 10.0.0.0/8\nhttps://*.b.example.com',
    })
    expect(parsed.ALLOWED_UPSTREAMS).toEqual(['https://a.example.com', '10.0.0.0/8', 'https://*.b.example.com'])
  })

  test('keeps an equals sign inside a claim', () => {
    expect(parseEnv({ ...least, OIDC_ROLE_MAP: 'cn=ops=admin, *=viewer' }).OIDC_ROLE_MAP).toEqual([
      { claim: 'cn=ops', role: 'admin' },
      { claim: '*', role: 'viewer' },
    ])
  })

  test('reads the workspace of a role', () => {
    const map = parseEnv({ ...least, OIDC_ROLE_MAP: 'ops=admin, ops@example.com=developer@staging' }).OIDC_ROLE_MAP
    expect(map).toEqual([
      { claim: 'ops', role: 'admin' },
      { claim: 'ops@example.com', role: 'developer', workspace: 'staging' },
    ])
    expect(() => parseEnv({ ...least, OIDC_ROLE_MAP: 'ops=admin@*' })).toThrow(/value=role@workspace/)
  })

  test('every secret reaches the console over a pipe, not in an environment that others read', () => {
    const secret = /(KEY|KEY_ID|SECRET|TOKEN|PASSWORD|HEADERS)$|^(DATABASE|DATABASE_DIRECT|SMTP)_URL$/
    const handedOver = [...CONSOLE_SECRETS, 'DATABASE_URL', 'NEXTAUTH_SECRET']
    expect(Object.keys(settings.shape).filter((name) => secret.test(name) && !handedOver.includes(name))).toEqual([])
  })
})
