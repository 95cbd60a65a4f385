import 'server-only'
import path from 'node:path'
import { z } from 'zod'
import { BASE_PATH } from '@/lib/base-path'
import { isLoopback, parseRange } from '@/lib/contracts/wire/address'
import { ROLES } from '@/lib/contracts/wire/api'

/** An empty variable counts as unset, because compose files and CI often set it that way. */
const text = z.preprocess(
  (value) => (typeof value === 'string' && value.trim() === '' ? undefined : value),
  z.string().trim().optional(),
)

const pathOf = (value: string) => new URL(value).pathname.replace(/\/$/, '')
const httpUrl = (value: string) => URL.canParse(value) && /^https?:$/.test(new URL(value).protocol)
const isPlain = (value: string) => {
  const url = new URL(value)
  return !url.username && !url.password && !url.search && !url.hash
}
const address = text
  .refine((value) => value === undefined || httpUrl(value), {
    error: 'must be an http or https address, for example https://api.example.com',
    abort: true,
  })
  .refine((value) => value === undefined || isPlain(value), 'must not contain a user name, password, query or fragment')
  .transform((value) => value?.replace(/\/+$/, ''))

const list = text.transform((value) => value?.split(/[\s,]+/).filter(Boolean) ?? [])

/** One or more addresses, in the order given and each once. */
const addresses = list.transform((entries, context) => {
  for (const entry of entries)
    if (!httpUrl(entry) || !isPlain(entry))
      context.addIssue('must be http or https addresses without user name, password, query and fragment')
  return [...new Set(entries.map((entry) => entry.replace(/\/+$/, '')))]
})

const ranges = list.transform((entries, context) =>
  entries.flatMap((entry) => {
    const range = parseRange(entry)
    if (range) return [range]
    context.addIssue(`"${entry}" is not an IP address or CIDR range such as 127.0.0.1 or 10.0.0.0/8`)
    return []
  }),
)

/** `operators=admin, staff=developer, *=viewer`: values of the role claim and their roles. */
const roleMap = text.transform((value, context) => {
  if (value === undefined) return undefined
  return value.split(',').flatMap((pair) => {
    const at = pair.lastIndexOf('=')
    const [given, workspace] = pair
      .slice(at + 1)
      .split('@', 2)
      .map((part) => part.trim())
    const role = ROLES.find((one) => one === given)
    const claim = pair.slice(0, Math.max(at, 0)).trim()
    const isPlace = workspace === undefined || /^[a-z0-9-]+$/.test(workspace)
    if (claim && role && isPlace) return [{ claim, role, ...(workspace && { workspace }) }]
    context.addIssue(
      `"${pair.trim()}" is not of the form value=role or value=role@workspace, with the role one of ${ROLES.join(', ')}`,
    )
    return []
  })
})

/** Why the console cannot sign in its one person by link. */
function linkProblems(given: {
  HOST: string
  NEXTAUTH_URL?: string | undefined
  OIDC_ISSUER?: string | undefined
  PILOTHOUSE_ADMIN_PASSWORD?: string | undefined
}): string[] {
  const { HOST, NEXTAUTH_URL, OIDC_ISSUER, PILOTHOUSE_ADMIN_PASSWORD } = given
  const isHere = isLoopback(HOST) && (!NEXTAUTH_URL || isLoopback(new URL(NEXTAUTH_URL).hostname))
  return [
    ...(isHere ? [] : ['link needs HOST and NEXTAUTH_URL on the loopback interface, such as 127.0.0.1']),
    ...(OIDC_ISSUER || PILOTHOUSE_ADMIN_PASSWORD
      ? ['link cannot be used together with other settings of sign-in']
      : []),
  ]
}

/** Each variable with its rules. The documentation is generated from this. */
export const settings = z.object({
  PORT: text.pipe(z.coerce.number<string | undefined>('must be a number').int().min(1).max(65535).default(3000)),
  /** Where the server listens; the launcher passes it on. */
  HOST: text.transform((value) => value ?? '127.0.0.1'),
  NEXTAUTH_URL: address.refine((value) => value === undefined || !URL.canParse(value) || pathOf(value) === BASE_PATH, {
    error: `must have ${BASE_PATH ? `the path ${BASE_PATH}` : 'no path'}, because the console was built so. \`npm start\` builds it for the path of NEXTAUTH_URL; an image gets its path from the build argument PILOTHOUSE_BASE_PATH`,
  }),
  NEXTAUTH_SECRET: text.refine(
    (value) => value === undefined || value.length >= 32,
    'must have at least 32 characters; `openssl rand -base64 32` generates one',
  ),
  DATABASE_URL: text
    .refine((value) => value !== undefined, {
      error: 'is missing: the address of a PostgreSQL server (`npm start` runs its own)',
      abort: true,
    })
    .refine(
      (value) => URL.canParse(value ?? '') && /^postgres(ql)?:$/.test(new URL(value ?? '').protocol),
      'must look like postgres://user:password@host:5432/database',
    )
    .transform((value) => value ?? ''),
  /** The same server past a pooler in transaction mode, which cannot listen or hold locks. */
  DATABASE_DIRECT_URL: text.refine(
    (value) => value === undefined || (URL.canParse(value) && /^postgres(ql)?:$/.test(new URL(value).protocol)),
    'must look like postgres://user:password@host:5432/database',
  ),
  /** Addresses and ranges of reverse proxies whose `X-Forwarded-For` is believed. */
  TRUSTED_PROXIES: ranges,
  PILOTHOUSE_DATA: text.transform((value) => path.resolve(/* turbopackIgnore: true */ process.cwd(), value ?? '.data')),
  PILOTHOUSE_ADMIN_EMAIL: text.pipe(
    z.email('must be an e-mail address').toLowerCase().default('admin@pilothouse.local'),
  ),
  PILOTHOUSE_ADMIN_PASSWORD: text.pipe(
    z.string().min(12, 'must have at least 12 characters').max(256, 'must have at most 256 characters').optional(),
  ),
  /** `link`: the one person on this machine signs in with a one-time link instead of a password. */
  PILOTHOUSE_SIGN_IN: text.pipe(z.enum(['password', 'link']).default('password')),
  PILOTHOUSE_WORKSPACE_KIND: text.pipe(z.enum(['embedded', 'control-plane']).default('control-plane')),
  PILOTHOUSE_SEALING_KEY: text.refine(
    (value) => value === undefined || value.length >= 32,
    'must have at least 32 characters; `openssl rand -base64 32` generates one',
  ),
  /** Bearer token for `/metrics`, which is off without it. */
  METRICS_TOKEN: text.refine(
    (value) => value === undefined || value.length >= 16,
    'must have at least 16 characters; `openssl rand -hex 24` generates one',
  ),
  /** Where traces and logs are sent by OTLP; the exporters read these and their other variables themselves. */
  OTEL_EXPORTER_OTLP_ENDPOINT: address,
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: address,
  OTEL_EXPORTER_OTLP_LOGS_ENDPOINT: address,
  OTEL_EXPORTER_OTLP_HEADERS: text,
  OTEL_SDK_DISABLED: text.pipe(z.enum(['true', 'false']).default('false')),
  CONTROL_PLANE_URL: address,
  CONTROL_PLANE_API_KEY: text,
  CONTROL_PLANE_TENANT_ID: text,
  CONTROL_PLANE_TOKEN: text,
  /** Running agent servers to attach to instead of a control plane. */
  AGENT_SERVER_URL: addresses,
  AGENT_SERVER_API_KEY: text,
  /** The tracing API that a control plane's deployments log to; the embedded platform has its own. */
  TRACES_URL: address,
  TRACES_API_KEY: text,
  /** Who can see secret names in the workspace defined by the environment. */
  PILOTHOUSE_SECRET_NAMES: text.pipe(z.enum(['members', 'admins']).default('members')),
  /** `off`: streams use only Node's public API. */
  PILOTHOUSE_DIRECT_STREAMS: text.pipe(z.enum(['on', 'off']).default('on')),
  /** Console processes that share the port. Only the launcher starts them. */
  PILOTHOUSE_PROCESSES: text.pipe(
    z.coerce.number<string | undefined>('must be a number').int().min(1).max(64).default(1),
  ),
  /** The number of this process. One that replaces it gets the same. The launcher sets it. */
  PILOTHOUSE_PROCESS: text,
  /** The folder of their sockets. The launcher sets it. */
  PILOTHOUSE_NEIGHBOURS: text,
  /** Streams that one process opens to one server; further starts wait. Runs that it takes over come on top. */
  PILOTHOUSE_STREAMS: text.pipe(
    z.coerce.number<string | undefined>('must be a number').int().min(1).max(100_000).default(512),
  ),
  /** Starts that may wait per server and process; 0 refuses them at once. */
  PILOTHOUSE_QUEUED_STARTS: text.pipe(
    z.coerce.number<string | undefined>('must be a number').int().min(0).max(10_000).default(256),
  ),
  /** The image `full` sets it. Its platform is not published unless PLATFORM_HOST lets others reach it. */
  PILOTHOUSE_IN_CONTAINER: text.transform((value) => value !== undefined),
  PLATFORM_HOST: text.transform((value) => value ?? '127.0.0.1'),
  WIRE_DIALECT: text.pipe(z.enum(['auto', 'graph', 'langgraph']).default('auto')),
  /** Origins (`https://host`, `https://*.host`) and address ranges (`10.0.0.0/8`). */
  ALLOWED_UPSTREAMS: list,
  /** The mail server for alerts, as `smtp://user:password@host:port` or `smtps://…`. */
  SMTP_URL: text.refine(
    (value) => value === undefined || (URL.canParse(value) && /^smtps?:$/.test(new URL(value).protocol)),
    'must look like smtp://user:password@host:587 or smtps://user:password@host:465',
  ),
  /** The sender of alerts; by default alerts@ the mail server's host. */
  SMTP_FROM: text.pipe(z.email('must be an e-mail address').optional()),
  /** An S3-compatible store to which recordings are moved some days after their end; off without a bucket. */
  S3_BUCKET: text,
  /** Its address; Amazon's for the region by default. */
  S3_ENDPOINT: address,
  S3_REGION: text.transform((value) => value ?? 'us-east-1'),
  /** Without keys, those of the machine's role or of Amazon's own variables are used. */
  S3_ACCESS_KEY_ID: text,
  S3_SECRET_ACCESS_KEY: text,
  /** A folder in the bucket. */
  S3_PREFIX: text.transform((value) => (value ? `${value.replace(/^\/+|\/+$/g, '')}/` : '')),
  S3_AFTER_DAYS: text.pipe(z.coerce.number<string | undefined>('must be a number').int().min(0).max(3_650).default(7)),
  OIDC_ISSUER: address,
  OIDC_CLIENT_ID: text,
  OIDC_CLIENT_SECRET: text,
  OIDC_ROLE_CLAIM: text.transform((value) => value ?? 'groups'),
  OIDC_ROLE_MAP: roleMap,
})

const Env = settings
  .superRefine((value, context) => {
    if (value.AGENT_SERVER_URL.length > 0 && value.CONTROL_PLANE_URL !== undefined)
      context.addIssue({
        code: 'custom',
        path: ['AGENT_SERVER_URL'],
        message: 'cannot be set together with CONTROL_PLANE_URL, which finds the agent servers itself',
      })
    if (value.PILOTHOUSE_SIGN_IN === 'link')
      for (const message of linkProblems(value))
        context.addIssue({ code: 'custom', path: ['PILOTHOUSE_SIGN_IN'], message })
    if (value.S3_BUCKET === undefined && (value.S3_ENDPOINT ?? value.S3_ACCESS_KEY_ID) !== undefined)
      context.addIssue({
        code: 'custom',
        path: ['S3_BUCKET'],
        message: 'is missing, while other settings S3_… are set',
      })
    if ((value.S3_ACCESS_KEY_ID === undefined) !== (value.S3_SECRET_ACCESS_KEY === undefined))
      context.addIssue({
        code: 'custom',
        path: ['S3_ACCESS_KEY_ID'],
        message: 'and S3_SECRET_ACCESS_KEY are needed together',
      })
    const oidc = ['OIDC_ISSUER', 'OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET'] as const
    const given = oidc.filter((name) => value[name] !== undefined)
    if (given.length === 0) return
    for (const name of oidc.filter((one) => !given.includes(one)))
      context.addIssue({
        code: 'custom',
        path: [name],
        message: `is missing, while ${given.join(' and ')} is set: single sign-on needs all three`,
      })
  })
  .transform((value) => ({
    ...value,
    NEXTAUTH_URL: value.NEXTAUTH_URL ?? `http://localhost:${value.PORT}${BASE_PATH}`,
  }))
export type Env = z.output<typeof Env>

/** Parses the settings. Throws an Error that names every invalid variable and what it should be, never its value. */
export function parseEnv(source: Record<string, string | undefined>): Env {
  const parsed = Env.safeParse(source)
  if (parsed.success) return parsed.data
  const problems = parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`)
  throw new Error(`The settings are invalid.\n  ${problems.join('\n  ')}`)
}

const shared = globalThis as { pilothouseEnv?: Env }

/** The settings of this process, parsed once. */
export function env(): Env {
  if (!shared.pilothouseEnv) {
    shared.pilothouseEnv = parseEnv(process.env)
    // next-auth reads this variable itself; without it, redirects go to port 3000. A path is that of its routes to it.
    process.env.NEXTAUTH_URL = shared.pilothouseEnv.NEXTAUTH_URL + (BASE_PATH && '/api/auth')
  }
  return shared.pilothouseEnv
}

/** For tests: replaces the process's settings. Undefined: parse the environment again on next use. */
export function adoptEnv(source: Record<string, string | undefined> | undefined): void {
  shared.pilothouseEnv = source && parseEnv(source)
}
