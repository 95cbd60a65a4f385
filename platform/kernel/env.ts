import { closeSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { z } from 'zod'
import { type AddressRange, isLoopback, parseRange } from '@/lib/contracts/wire/address'
import { version } from '@/package.json'
import type { AllowedOrigins } from './cors'

/** The version of the agent servers that this platform rolls out, reported as `image_version`. */
export const PLATFORM_VERSION: string = version

const isTelemetry = (name: string) => name.startsWith('OTEL_')
const telemetryIn = (variables: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(variables).filter(([name]) => isTelemetry(name))) as Record<string, string>
let telemetry: Record<string, string> = {}

/** The only place where the platform's programs read the environment. */
function parse<T extends z.ZodType>(schema: T): z.output<T> {
  const given = { ...process.env, ...inheritedVariables() }
  telemetry = telemetryIn(given)
  const parsed = schema.safeParse(given)
  if (parsed.success) return parsed.data
  const problems = parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`)
  throw new Error(`The settings are invalid.\n  ${problems.join('\n  ')}`)
}

/**
 * File descriptor of the pipe with secret variables. Other processes of the user can read an environment, but not a
 * pipe.
 */
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

/** `10.0.0.0/8, 192.168.1.7`: comma-separated address ranges. */
const Ranges = z
  .string()
  .default('')
  .transform((text, context) => {
    const parts = text.split(',').flatMap((part) => part.trim() || [])
    const bad = parts.find((part) => !parseRange(part))
    if (bad) context.addIssue({ code: 'custom', message: `"${bad}" is not an address range such as 10.0.0.0/8` })
    return parts.flatMap((part): AddressRange[] => {
      const range = parseRange(part)
      return range ? [range] : []
    })
  })

/** `*`, or comma-separated origins; an empty text allows none. */
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

/** `registry.example.com:5000/team/agents`, in lower case and without a scheme or tag. */
const Registry = z
  .string()
  .transform((text) => text.replace(/\/+$/, ''))
  .refine(
    (text) => /^[a-z0-9.-]+(:\d+)?(\/[a-z0-9]+([._-]+[a-z0-9]+)*)*$/.test(text),
    'give a host and a path without a scheme, such as registry.example.com/agents',
  )

const WebUrl = z.preprocess((value) => value || undefined, z.url({ protocol: /^https?$/ }).optional())
const GatewayKey = z.string().trim().min(32)
/** Bearer token for `/metrics`, which is off without it. */
const MetricsToken = z.preprocess((value) => value || undefined, z.string().trim().min(16).optional())

/** In a range that no system hands out. */
export const UID_BASE = 1_900_000_000

/** Synchronous code of a deployment may block its process for long. */
const HANG_SECONDS = 120

/** Each variable with its rules. The documentation is generated from this. */
export const platformSettings = z.object({
  PILOTHOUSE_DATA: z
    .string()
    .min(1)
    .default('.data')
    .transform((folder) => path.resolve(folder)),
  DATABASE_URL: z.string().min(1),
  /** The same server past a pooler in transaction mode. */
  DATABASE_DIRECT_URL: z.preprocess((value) => value || undefined, z.string().min(1).optional()),
  /** Absent or 0: the port of the last start if it is free, otherwise any. */
  PLATFORM_PORT: z.coerce.number().int().min(0).max(65535).optional(),
  /** Address of the console that was started with the platform, for links. */
  PILOTHOUSE_CONSOLE_URL: z.url().optional(),
  /** How long a replaced agent server may take to finish its runs and open requests. */
  PILOTHOUSE_DRAIN_SECONDS: z.coerce.number().min(0).max(86_400).default(60),
  /** An agent server that shows no sign of life for this long is restarted, and its runs continue in another process. */
  PILOTHOUSE_HANG_SECONDS: z.coerce.number().min(30).max(86_400).default(HANG_SECONDS),
  /** Where deployments of this control plane run that name no other listener. */
  PILOTHOUSE_COMPUTE: z.enum(['process', 'kubernetes']).default('process'),
  /** Namespaces that deployments may use, comma-separated; the first is the default. */
  PILOTHOUSE_KUBERNETES_NAMESPACES: z
    .string()
    .default('default')
    .transform((text) => text.split(',').flatMap((part) => part.trim() || [])),
  /** The image that builds and runs agents in a cluster (`docker build --target agent`). */
  PILOTHOUSE_KUBERNETES_IMAGE: z.string().min(1).optional(),
  /** Host and path below which images of revisions are pushed. Absent: the pods clone and build. */
  PILOTHOUSE_KUBERNETES_REGISTRY: Registry.optional(),
  /** A Secret of type dockerconfigjson in the namespaces of the agents. */
  PILOTHOUSE_KUBERNETES_REGISTRY_SECRET: z.string().min(1).optional(),
  /** A Secret in the namespaces of the agents with what PILOTHOUSE_GIT_CREDENTIALS has, for pods that clone. */
  PILOTHOUSE_KUBERNETES_GIT_SECRET: z.string().min(1).optional(),
  /** The image of rootless BuildKit that builds them, and how long a build may take. */
  PILOTHOUSE_KUBERNETES_BUILDKIT_IMAGE: z.string().min(1).default('moby/buildkit:rootless'),
  PILOTHOUSE_KUBERNETES_BUILD_MINUTES: z.coerce.number().int().min(1).max(1440).default(30),
  /** Where the gateway reaches a service of the cluster; `{service}` and `{namespace}` are replaced. */
  PILOTHOUSE_KUBERNETES_AGENT_URL: z.string().min(1).default('http://{service}.{namespace}.svc:8000'),
  /** Host and port at which pods reach the database, if not those of DATABASE_URL. */
  PILOTHOUSE_KUBERNETES_DATABASE: z.string().min(1).optional(),
  /** Folder with the credentials of private repositories: `credentials`, `ssh-privatekey`, `known_hosts`. */
  PILOTHOUSE_GIT_CREDENTIALS: z.string().min(1).optional(),
  /** The address to listen on. Pods and listeners reach the platform from other machines. */
  PLATFORM_HOST: z.string().min(1).default('127.0.0.1'),
  /** Address at which pods and listeners reach the platform. Without it, pods send no traces. */
  PILOTHOUSE_PLATFORM_URL: z.url().optional(),
  /** Replaces the agent server's program, for tests. */
  PILOTHOUSE_AGENT_SERVER: z.string().min(1).optional(),
  /** `false` skips the sample deployments of the first start. */
  PILOTHOUSE_SAMPLES: z.enum(['true', 'false']).default('true'),
  /** Non-public addresses that may receive webhooks; none if absent. */
  PILOTHOUSE_WEBHOOK_RANGES: Ranges,
  /** Origins whose pages may call agent servers from a browser. */
  PILOTHOUSE_CORS_ORIGINS: Origins,
  /** Whether agent cards of the A2A protocol are answered without a key. */
  PILOTHOUSE_PUBLIC_AGENT_CARDS: z.enum(['true', 'false']).default('false'),
  /** How long traces are kept, and the compressed size of one project's. */
  PILOTHOUSE_TRACE_DAYS: z.coerce.number().int().min(1).max(36_500).optional(),
  PILOTHOUSE_TRACE_MB: z.coerce.number().int().min(1).max(100_000_000).optional(),
  /** Shared with the gateways that run apart, for which nothing is published without it. */
  PILOTHOUSE_GATEWAY_KEY: z.preprocess((value) => value || undefined, GatewayKey.optional()),
  /** Where the gateways that run apart are reached. Deployments have this address then. */
  PILOTHOUSE_GATEWAY_URL: WebUrl,
  METRICS_TOKEN: MetricsToken,
  /** `off` runs builds and agent servers with the operator's rights. */
  PILOTHOUSE_SANDBOX: z.enum(['auto', 'off']).default('auto'),
  /** If the platform runs as root, each deployment runs as the user with this number plus its own. */
  PILOTHOUSE_UID_BASE: z.coerce.number().int().min(1000).max(4_000_000_000).default(UID_BASE),
  /** Absolute paths, separated by colons, that every deployment may read. */
  PILOTHOUSE_READABLE: z
    .string()
    .default('')
    .transform((text) => text.split(':').filter(Boolean))
    .refine((places) => places.every((place) => path.isAbsolute(place)), 'give absolute paths'),
})

export type PlatformEnv = z.output<typeof platformSettings>

/** Settings of the platform process (`platform/main.ts`). Throws an Error that names every invalid variable. */
export const platformEnv = () => parse(platformSettings)

/** Settings of a gateway that runs apart. The documentation is generated from this too. */
export const gatewaySettings = z.object({
  PILOTHOUSE_GATEWAY_KEY: GatewayKey,
  /** The platform's database. Without a user, the gateway connects as the role that the platform made for it. */
  DATABASE_URL: z.string().min(1),
  DATABASE_DIRECT_URL: platformSettings.shape.DATABASE_DIRECT_URL,
  PILOTHOUSE_GATEWAY_HOST: z.string().min(1).default('127.0.0.1'),
  PILOTHOUSE_GATEWAY_PORT: z.coerce.number().int().min(0).max(65535).default(4100),
  /** Where the platform is, for deployments that only it reaches. */
  PILOTHOUSE_PLATFORM_URL: WebUrl,
  /** How long it may take to finish open requests when it is stopped. */
  PILOTHOUSE_DRAIN_SECONDS: platformSettings.shape.PILOTHOUSE_DRAIN_SECONDS,
  METRICS_TOKEN: MetricsToken,
})

/** Settings of a gateway that runs apart (`platform/gateway/main.ts`). */
export const gatewayEnv = () => parse(gatewaySettings)

/** The operator's settings of OpenTelemetry, once the program has read its own. They hold the collector's key. */
export const telemetryVariables = (): Record<string, string> => telemetry

/** The same for agent servers: each has a name of its own. None with a key in them, which deployed code could read. */
export function agentTelemetry(variables = telemetry): Record<string, string> {
  const { OTEL_SERVICE_NAME: _, ...rest } = variables
  const hasKey = /_(HEADERS|CLIENT_KEY)":|:\/\/[^/"]*@/.test(JSON.stringify(rest))
  return hasKey ? {} : rest
}

/** For libraries that read these variables themselves. A deployment's own are put back for its code. */
export async function withTelemetryVariables<T>(variables: Record<string, string>, work: () => Promise<T>): Promise<T> {
  const before = telemetryIn(process.env)
  const replace = (by: Record<string, string>) => {
    for (const name of Object.keys(process.env)) if (isTelemetry(name)) delete process.env[name]
    Object.assign(process.env, by)
  }
  replace(variables)
  try {
    return await work()
  } finally {
    replace(before)
  }
}

const AgentInfo = z.object({
  deployment: z.object({ id: z.string(), name: z.string() }),
  revision: z.string(),
  commit: z.string().nullable(),
})
/** What an agent server reports about itself in `/info` and run metadata. */
export type AgentInfo = z.output<typeof AgentInfo>

const AgentEnv = z.object({
  PILOTHOUSE_AGENT_DATABASE_URL: z.string().min(1),
  /** The same database through a pooler in transaction mode. */
  PILOTHOUSE_AGENT_POOLER_URL: z.string().min(1).optional(),
  /** PostgreSQL schema of the deployment. Its revisions share it, so that two can serve during a switch. */
  PILOTHOUSE_AGENT_SCHEMA: z.string().regex(/^[a-z_][a-z0-9_]{0,62}$/),
  /** Absolute path of the graph configuration file. */
  PILOTHOUSE_AGENT_CONFIG: z.string().min(1),
  /** Required in the header `x-pilothouse-child` of every request; not checked if absent. */
  PILOTHOUSE_AGENT_SECRET: z.string().min(16).optional(),
  /** Absent or 0: any free port. */
  PILOTHOUSE_AGENT_PORT: z.coerce.number().int().min(0).max(65535).optional(),
  /** The address to listen on. In a container, others reach it through the container's own address. */
  PILOTHOUSE_AGENT_HOST: z.string().min(1).default('127.0.0.1'),
  /** The revision that this process runs. */
  PILOTHOUSE_AGENT_OWNER: z.string().min(1),
  /** Others take the runs of a process that hangs. The platform allows no fewer than 30. */
  PILOTHOUSE_AGENT_HANG_SECONDS: z.coerce.number().positive().default(HANG_SECONDS),
  PILOTHOUSE_AGENT_INFO: z
    .string()
    .transform((text) => JSON.parse(text) as unknown)
    .pipe(AgentInfo)
    .optional(),
  PILOTHOUSE_AGENT_WEBHOOK_RANGES: Ranges,
  PILOTHOUSE_AGENT_CORS_ORIGINS: Origins,
  /** The operator's settings of OpenTelemetry. */
  PILOTHOUSE_AGENT_TELEMETRY: z
    .string()
    .default('{}')
    .transform((text) => JSON.parse(text) as unknown)
    .pipe(z.record(z.string(), z.string())),
})
export type AgentEnv = z.output<typeof AgentEnv>

/** Settings of an agent server process, set by the roll-out. */
export const agentEnv = () => parse(AgentEnv)

const hangSeconds = () => process.env.PILOTHOUSE_HANG_SECONDS ?? String(HANG_SECONDS)
/** For the program that starts an agent server, which may be that of a container. */
export const hangMs = (): number => Number(hangSeconds()) * 1000

/** The platform's settings that apply to its agent servers. Always set, so that no deployment can set them. */
export const agentPolicy = (): Record<string, string> => ({
  PILOTHOUSE_AGENT_HANG_SECONDS: hangSeconds(),
  PILOTHOUSE_AGENT_WEBHOOK_RANGES: process.env.PILOTHOUSE_WEBHOOK_RANGES ?? '',
  PILOTHOUSE_AGENT_CORS_ORIGINS: process.env.PILOTHOUSE_CORS_ORIGINS ?? '*',
})

/** The same settings for a container, whose own program reads them. */
export const agentPolicySource = (): Record<string, string> => ({
  PILOTHOUSE_HANG_SECONDS: hangSeconds(),
  PILOTHOUSE_WEBHOOK_RANGES: process.env.PILOTHOUSE_WEBHOOK_RANGES ?? '',
  PILOTHOUSE_CORS_ORIGINS: process.env.PILOTHOUSE_CORS_ORIGINS ?? '*',
})

/** Removes these settings, so that graph code finds neither the database nor the secret. */
export function clearAgentEnv(): void {
  for (const name of Object.keys(AgentEnv.shape)) delete process.env[name]
}

const ContainerEnv = z.object({
  /** The file with what the control plane says about the revision (`platform/compute/kubernetes/container-settings.ts`). */
  PILOTHOUSE_AGENT_SETTINGS: z.string().min(1),
  PILOTHOUSE_AGENT_HOST: z.string().min(1).default('0.0.0.0'),
  PILOTHOUSE_AGENT_PORT: z.coerce.number().int().min(1).max(65535).default(8000),
  PILOTHOUSE_AGENT_HEALTH_PORT: z.coerce.number().int().min(1).max(65535).default(8001),
  /** Replaces the agent server's program, for tests. */
  PILOTHOUSE_AGENT_SERVER: z.string().min(1).optional(),
})

/** Settings of the program in an agent's container (`platform/container.ts`), and the deployment's secrets by name. */
export const containerEnv = () => ({ ...parse(ContainerEnv), variables: { ...process.env } })

const ListenerEnv = z
  .object({
    /** Address of the control plane that this listener joins its cluster to. */
    PILOTHOUSE_LISTENER_URL: z.url({ protocol: /^https?$/, abort: true }),
    /** Permits `http://` to other machines, for a network that is trusted: work contains secrets. */
    PILOTHOUSE_LISTENER_ALLOW_HTTP: z.enum(['true', 'false']).default('false'),
    /** The token that the control plane gave when the listener was created. */
    PILOTHOUSE_LISTENER_TOKEN: z.string().min(1),
    /**
     * Where the control plane's gateway reaches a service of this cluster; `{service}` and `{namespace}` are replaced.
     * Absent: the listener carries its connections.
     */
    PILOTHOUSE_LISTENER_AGENT_URL: z.string().min(1).optional(),
    /** Host and port at which pods of this cluster reach the control plane's database. */
    PILOTHOUSE_LISTENER_DATABASE: z.string().min(1).optional(),
  })
  .refine(
    ({ PILOTHOUSE_LISTENER_URL: url, PILOTHOUSE_LISTENER_ALLOW_HTTP: allows }) =>
      allows === 'true' || new URL(url).protocol === 'https:' || isLoopback(new URL(url).hostname),
    {
      path: ['PILOTHOUSE_LISTENER_URL'],
      message:
        'use https://, because work contains secrets. PILOTHOUSE_LISTENER_ALLOW_HTTP=true permits http:// in a network that you trust.',
    },
  )

/** Settings of a listener (`platform/listener.ts`). */
export const listenerEnv = () => parse(ListenerEnv)

const TRACING = ['LANGSMITH_TRACING', 'LANGSMITH_TRACING_V2', 'LANGCHAIN_TRACING', 'LANGCHAIN_TRACING_V2']

/** The environment's settings for tracing runs. */
export const readTracing = (): { isAsked: boolean; endpoint: string | undefined } => ({
  isAsked: TRACING.some((name) => process.env[name] === 'true'),
  endpoint: process.env.LANGSMITH_ENDPOINT ?? process.env.LANGCHAIN_ENDPOINT,
})

/** Where to embed texts: a deployment's own variables, under the names that clients of such endpoints read. */
export const readEmbeddingEndpoint = (): { url: string; key: string | undefined } => ({
  url: (process.env.OPENAI_BASE_URL ?? 'https://api.openai.com/v1').replace(/\/$/, ''),
  key: process.env.OPENAI_API_KEY,
})

/** Sets all of the library's switches, because any of them would enable tracing. */
export function setTracing(isOn: boolean): void {
  for (const name of TRACING) process.env[name] = String(isOn)
}

/**
 * Makes the library await callbacks in line. Otherwise all runs of the process share one queue of them, and messages in
 * it reach the stream late or not at all.
 */
export function awaitCallbacks(): void {
  process.env.LANGCHAIN_CALLBACKS_BACKGROUND = 'false'
}

/** A variable of the operator's own environment, for places and settings that programs of deployments need too. */
export const operatorVariable = (name: string): string | undefined => process.env[name]

/** Variables that a user's program needs to run. Nothing else of our environment is passed on. */
const PASSED =
  /^(PATH|HOME|USER|LOGNAME|SHELL|LANG|LC_\w+|TZ|TMPDIR|TMP|TEMP|SystemRoot|ComSpec|NODE_EXTRA_CA_CERTS|SSL_CERT_(FILE|DIR)|(HTTPS?|NO|ALL)_PROXY)$/i

/** For `spawn`: Next's types require NODE_ENV, which a child need not have. */
export const asProcessEnv = (environment: Record<string, string>): NodeJS.ProcessEnv => environment as NodeJS.ProcessEnv

/** The reduced environment of builds and agent servers. */
export function baseEnvironment(): Record<string, string> {
  const passed = Object.entries(process.env).filter(([name, value]) => PASSED.test(name) && value !== undefined)
  return { LANG: 'C.UTF-8', ...(Object.fromEntries(passed) as Record<string, string>) }
}

/** A variable of the deployment that this agent server runs: one of its secrets, or of its graph configuration file. */
export const deployedVariable = (name: string): string | undefined => process.env[name]
