import 'server-only'
import { agentServer } from '@/lib/contracts/agent-server'
import type { OperationPlace } from '@/lib/contracts/wire/places'
import { AppError } from '@/lib/errors'
import { call } from './call'
import type { CallOptions } from './call-context'
import { FEATURES, type Feature } from './missing-feature'
import { missingFeatures } from './missing-features'

export type Capability = { isSupported: true } | { isSupported: false; reason: string }
export type Capabilities = Record<Feature, Capability>

/** The `/info` flag for each feature. An absent flag means unknown. */
const FLAGS: Partial<Record<Feature, string>> = { crons: 'crons', store: 'store', mcp: 'mcp', a2a: 'a2a' }

/**
 * What the servers of a workspace or deployment support, from the agent server's `/info` and from refusals in the last
 * 10 minutes. A feature counts as supported until the server denies it.
 */
export async function capabilities(place: OperationPlace, options: CallOptions = {}): Promise<Capabilities> {
  const flags = place.deploymentId ? await infoFlags(place, options) : {}
  const missing = missingFeatures(place)
  const of = (feature: Feature): Capability => {
    const flag = FLAGS[feature]
    if (flag && flags[flag] === false)
      return { isSupported: false, reason: `This agent server says that it does not offer ${FEATURES[feature]}.` }
    const reason = missing.get(feature)
    return reason === undefined ? { isSupported: true } : { isSupported: false, reason }
  }
  return Object.fromEntries(
    (Object.keys(FEATURES) as Feature[]).map((feature) => [feature, of(feature)]),
  ) as Capabilities
}

/** The optional features on a deployment's page, by display name; `reason` is null where the feature is supported. */
export async function offeredAt(
  place: OperationPlace,
  options: CallOptions = {},
): Promise<{ name: string; reason: string | null }[]> {
  const all = await capabilities(place, options)
  return (Object.keys(WORDS) as (keyof typeof WORDS)[]).map((feature) => {
    const found = all[feature]
    return { name: WORDS[feature], reason: found.isSupported ? null : found.reason }
  })
}

const WORDS = {
  crons: 'Crons',
  store: 'Store',
  mcp: 'MCP',
  a2a: 'Agent-to-agent (A2A)',
  metrics: 'Metrics',
  docs: 'API reference',
  logs: 'Logs',
} satisfies Partial<Record<Feature, string>>

async function infoFlags(place: OperationPlace, options: CallOptions): Promise<Record<string, unknown>> {
  try {
    return (await call(agentServer.getInfo, place, options)).flags
  } catch (error) {
    // Some servers have no `/info`; their flags are unknown.
    if (error instanceof AppError && (error.code === 'unsupported' || error.code === 'not_found')) return {}
    throw error
  }
}
