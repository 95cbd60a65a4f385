import type { AddressRange } from '@/lib/contracts/wire/address'
import type { AllowedOrigins } from '../../kernel/cors'
import { type AgentInfo, agentEnv, clearAgentEnv, readTracing, setTracing } from '../../kernel/env'

export type AgentServerSettings = {
  databaseUrl: string
  /** PostgreSQL schema of the deployment. */
  schema: string
  /** Absolute path of the graph configuration file. */
  configPath: string
  /** Every request must carry it; absent: none is asked for. */
  secret?: string
  /** 0 or absent: any free one. */
  port?: number
  /** Names this process in the store, for people. */
  owner?: string
  /** Goes into `/info`. */
  info?: AgentInfo
  isTracing?: boolean
  /** Addresses that are not public and may be sent webhooks. */
  webhookRanges?: readonly AddressRange[]
  /** Origins whose pages may call; all when absent. */
  corsOrigins?: AllowedOrigins
}

/** The settings that the roll-out gives its child. They are gone from the environment afterwards: graph code must not see them. */
export function readSettings(): AgentServerSettings {
  const env = agentEnv()
  clearAgentEnv()
  return {
    databaseUrl: env.PILOTHOUSE_AGENT_DATABASE_URL,
    schema: env.PILOTHOUSE_AGENT_SCHEMA,
    configPath: env.PILOTHOUSE_AGENT_CONFIG,
    secret: env.PILOTHOUSE_AGENT_SECRET,
    port: env.PILOTHOUSE_AGENT_PORT,
    owner: env.PILOTHOUSE_AGENT_OWNER,
    info: env.PILOTHOUSE_AGENT_INFO,
    isTracing: allowTracing(),
    webhookRanges: env.PILOTHOUSE_AGENT_WEBHOOK_RANGES,
    corsOrigins: env.PILOTHOUSE_AGENT_CORS_ORIGINS,
  }
}

/**
 * Whether runs are traced: only where the environment asks for it and names a place. Without one, or with its vendor's
 * address, the library would send everything there; then it is told not to trace, whatever it was told before.
 */
export function allowTracing(): boolean {
  const { isAsked, endpoint } = readTracing()
  const host = endpoint && URL.canParse(endpoint) ? new URL(endpoint).hostname : ''
  const isAllowed = isAsked && host !== '' && !/(^|\.)langchain\.com$/.test(host)
  setTracing(isAllowed)
  return isAllowed
}
