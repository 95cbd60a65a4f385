import { closeSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { z } from 'zod'
import { type AddressRange, parseRange } from '@/lib/contracts/wire/address'
import { version } from '@/package.json'
import type { AllowedOrigins } from './cors'

/** The version of the agent servers that this platform rolls out, reported as `image_version`. */
export const PLATFORM_VERSION: string = version

/** The platform's programs read the environment here and nowhere else. */
function parse<T extends z.ZodType>(schema: T): z.output<T> {
  const parsed = schema.safeParse({ ...process.env, ...inheritedVariables() })
  if (parsed.success) return parsed.data
  const problems = parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`)
  throw new Error(`The environment is not usable.\n  ${problems.join('\n  ')}`)
}

/** Names the pipe on which the parent hands over secret variables; any user's process may read an environment. */
const PIPE = 'PILOTHOUSE_SECRETS_FD'

function inheritedVariables(): Record<string, unknown> {
  const pipe = Number(process.env[PIPE] ?? Number.NaN)
  delete process.env[PIPE]
  if (!Number.isInteger(pipe)) return {}
  try {
    return JSON.parse(readFileSync(pipe, 'utf8')) as Record<string, unknown>
  } finally {
    closeSync(pipe)
  }
}

/** `10.0.0.0/8, 192.168.1.7`: address ranges, separated by commas. */
const Ranges = z
  .string()
  .default('')
  .transform((text, context) => {
    const parts = text.split(',').flatMap((part) => part.trim() || [])
    const bad = parts.find((part) => !parseRange(part))
    if (bad) context.addIssue({ code: 'custom', message: `"${bad}" is no address range such as 10.0.0.0/8` })
    return parts.flatMap((part): AddressRange[] => {
      const range = parseRange(part)
      return range ? [range] : []
    })
  })

/** `*`, or origins separated by commas; an empty text allows none. */
const Origins = z
  .string()
  .default('*')
  .transform((text, context): AllowedOrigins => {
    const parts = text.split(',').flatMap((part) => part.trim() || [])
    if (parts.includes('*')) return '*'
    const bad = parts.find((part) => !URL.canParse(part) || new URL(part).origin !== part)
    if (bad) context.addIssue({ code: 'custom', message: `"${bad}" is not an origin such as https://chat.example.com` })
    return parts
  })

const PlatformEnv = z.object({
  PILOTHOUSE_DATA: z
    .string()
    .min(1)
    .default('.data')
    .transform((folder) => path.resolve(folder)),
  DATABASE_URL: z.string().min(1),
  /** Absent or 0: the port of the last start where it is free, else any. */
  PLATFORM_PORT: z.coerce.number().int().min(0).max(65535).optional(),
  /** How long an agent server that was replaced may finish its runs and open requests. */
  PILOTHOUSE_DRAIN_SECONDS: z.coerce.number().min(0).max(86_400).default(60),
  /** Another program in place of the agent server, for tests. */
  PILOTHOUSE_AGENT_SERVER: z.string().min(1).optional(),
  /** `false` leaves out the sample deployments of the first start. */
  PILOTHOUSE_SAMPLES: z.enum(['true', 'false']).default('true'),
  /** Addresses that are not public and may be sent webhooks anyway; none when absent. */
  PILOTHOUSE_WEBHOOK_RANGES: Ranges,
  /** Origins whose pages may call agent servers from a browser. */
  PILOTHOUSE_CORS_ORIGINS: Origins,
})

/** Settings of the platform process (`platform/main.ts`). Throws an Error that names every unusable variable. */
export const platformEnv = () => parse(PlatformEnv)

const AgentInfo = z.object({
  deployment: z.object({ id: z.string(), name: z.string() }),
  revision: z.string(),
  commit: z.string().nullable(),
})
/** What a child is told about itself, for `/info` and run metadata. */
export type AgentInfo = z.output<typeof AgentInfo>

const AgentEnv = z.object({
  PILOTHOUSE_AGENT_DATABASE_URL: z.string().min(1),
  /** PostgreSQL schema of the deployment; shared by its revisions, so that two of them can serve during a switch. */
  PILOTHOUSE_AGENT_SCHEMA: z.string().regex(/^[a-z_][a-z0-9_]{0,62}$/),
  /** Absolute path of the graph configuration file. */
  PILOTHOUSE_AGENT_CONFIG: z.string().min(1),
  /** Every request must carry it in the header `x-pilothouse-child`; absent: none is asked for. */
  PILOTHOUSE_AGENT_SECRET: z.string().min(16).optional(),
  /** Absent or 0: any free one. */
  PILOTHOUSE_AGENT_PORT: z.coerce.number().int().min(0).max(65535).optional(),
  /** The revision that this process runs. */
  PILOTHOUSE_AGENT_OWNER: z.string().min(1),
  PILOTHOUSE_AGENT_INFO: z
    .string()
    .transform((text) => JSON.parse(text) as unknown)
    .pipe(AgentInfo)
    .optional(),
  PILOTHOUSE_AGENT_WEBHOOK_RANGES: Ranges,
  PILOTHOUSE_AGENT_CORS_ORIGINS: Origins,
})
export type AgentEnv = z.output<typeof AgentEnv>

/** Settings of an agent server process, set by the roll-out. */
export const agentEnv = () => parse(AgentEnv)

/** What of the platform's own settings its agent servers are to heed. Always set, so that no deployment can set it. */
export const agentPolicy = (): Record<string, string> => ({
  PILOTHOUSE_AGENT_WEBHOOK_RANGES: process.env.PILOTHOUSE_WEBHOOK_RANGES ?? '',
  PILOTHOUSE_AGENT_CORS_ORIGINS: process.env.PILOTHOUSE_CORS_ORIGINS ?? '*',
})

/** Removes those settings from the environment, so that graph code finds neither the database nor the secret. */
export function clearAgentEnv(): void {
  for (const name of Object.keys(AgentEnv.shape)) delete process.env[name]
}

const TRACING = ['LANGSMITH_TRACING', 'LANGSMITH_TRACING_V2', 'LANGCHAIN_TRACING', 'LANGCHAIN_TRACING_V2']

/** What the environment says about tracing runs. */
export const readTracing = (): { isAsked: boolean; endpoint: string | undefined } => ({
  isAsked: TRACING.some((name) => process.env[name] === 'true'),
  endpoint: process.env.LANGSMITH_ENDPOINT ?? process.env.LANGCHAIN_ENDPOINT,
})

/** All the library's switches at once, because any of them would do. */
export function setTracing(isOn: boolean): void {
  for (const name of TRACING) process.env[name] = String(isOn)
}

/** Variables a program of the user's needs to run at all. Everything else of our own environment stays ours. */
const PASSED =
  /^(PATH|HOME|USER|LOGNAME|SHELL|LANG|LC_\w+|TZ|TMPDIR|TMP|TEMP|SystemRoot|ComSpec|NODE_EXTRA_CA_CERTS|SSL_CERT_(FILE|DIR)|(HTTPS?|NO|ALL)_PROXY)$/i

/** For `spawn`: Next's types demand a NODE_ENV of every environment, which that of a child need not have. */
export const asProcessEnv = (environment: Record<string, string>): NodeJS.ProcessEnv => environment as NodeJS.ProcessEnv

/** The scrubbed environment that builds and agent servers start from. */
export function baseEnvironment(): Record<string, string> {
  const passed = Object.entries(process.env).filter(([name, value]) => PASSED.test(name) && value !== undefined)
  return { LANG: 'C.UTF-8', ...(Object.fromEntries(passed) as Record<string, string>) }
}
