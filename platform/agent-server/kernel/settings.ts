import type { AddressRange } from '@/lib/contracts/wire/address'
import type { AllowedOrigins } from '../../kernel/cors'
import { type AgentInfo, agentEnv, clearAgentEnv, readTracing, setTracing } from '../../kernel/env'

export type AgentServerSettings = {
  databaseUrl: string
  /** The same database through a pooler in transaction mode. */
  poolerUrl?: string
  /** PostgreSQL schema of the deployment. */
  schema: string
  /** Absolute path of the graph configuration file. */
  configPath: string
  /** The secret that every request must carry; not checked if absent. */
  secret?: string
  /** 0 or absent: any free port. */
  port?: number
  /** The address to listen on; loopback if absent. */
  host?: string
  /** Human-readable name of this process in the store. */
  owner?: string
  /** A process that has shown no sign of life for this long hangs, and others go on with its runs. */
  hangMs?: number
  /** Goes into `/info`. */
  info?: AgentInfo
  isTracing?: boolean
  /** Non-public address ranges that may receive webhooks. */
  webhookRanges?: readonly AddressRange[]
  /** Origins whose pages may call this server; all if absent. */
  corsOrigins?: AllowedOrigins
  /** The operator's variables for OpenTelemetry. */
  telemetry?: Record<string, string>
}

/** The settings from the roll-out. They are removed from the environment, because graph code must not see them. */
export function readSettings(): AgentServerSettings {
  const env = agentEnv()
  clearAgentEnv()
  return {
    databaseUrl: env.PILOTHOUSE_AGENT_DATABASE_URL,
    poolerUrl: env.PILOTHOUSE_AGENT_POOLER_URL,
    schema: env.PILOTHOUSE_AGENT_SCHEMA,
    configPath: env.PILOTHOUSE_AGENT_CONFIG,
    secret: env.PILOTHOUSE_AGENT_SECRET,
    port: env.PILOTHOUSE_AGENT_PORT,
    host: env.PILOTHOUSE_AGENT_HOST,
    owner: env.PILOTHOUSE_AGENT_OWNER,
    hangMs: env.PILOTHOUSE_AGENT_HANG_SECONDS * 1000,
    info: env.PILOTHOUSE_AGENT_INFO,
    isTracing: allowTracing(),
    webhookRanges: env.PILOTHOUSE_AGENT_WEBHOOK_RANGES,
    corsOrigins: env.PILOTHOUSE_AGENT_CORS_ORIGINS,
    telemetry: env.PILOTHOUSE_AGENT_TELEMETRY,
  }
}

/**
 * Whether runs are traced: only if the environment enables it and names an endpoint. Without one, or with the vendor's
 * address, the library would send everything to the vendor, so tracing is then switched off.
 */
export function allowTracing(): boolean {
  const { isAsked, endpoint } = readTracing()
  const host = endpoint && URL.canParse(endpoint) ? new URL(endpoint).hostname : ''
  const isAllowed = isAsked && host !== '' && !/(^|\.)langchain\.com$/.test(host)
  setTracing(isAllowed)
  return isAllowed
}
