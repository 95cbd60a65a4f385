import 'server-only'
import { agentServer, asRead } from '@/lib/contracts/agent-server'
import { controlPlane } from '@/lib/contracts/control-plane'
import type { Capability, OfferedFeature } from '@/lib/contracts/wire/capability'
import type { DeploymentPlace } from '@/lib/contracts/wire/places'
import { AppError } from '@/lib/errors'
import { call } from '../upstream/call'
import type { CallOptions } from '../upstream/call-context'
import { knownFeatures } from '../upstream/known-features'
import { FEATURES, type Feature } from '../upstream/missing-feature'
import { readServerInfo } from '../upstream/server-info'
import { readLogPage } from './logs/log-pages'

type Probe = (place: DeploymentPlace, options: CallOptions) => Promise<unknown>

/** The optional features in the order they are shown, each with a cheap read that a server without it refuses. */
const SHOWN = {
  crons: {
    name: 'Crons',
    probe: (place, options) => call(agentServer.searchCrons, { ...place, body: { limit: 1 } }, options),
  },
  store: {
    name: 'Store',
    probe: (place, options) => call(agentServer.listNamespaces, { ...place, body: { limit: 1 } }, options),
  },
  mcp: {
    name: 'MCP',
    probe: (place, options) =>
      call(asRead(agentServer.sendMcp), { ...place, body: { jsonrpc: '2.0', id: 1, method: 'ping' } }, options),
  },
  a2a: { name: 'Agent-to-agent (A2A)', probe: readAgentCard },
  metrics: { name: 'Metrics', probe: (place, options) => call(agentServer.getMetrics, place, options) },
  docs: { name: 'API reference', probe: (place, options) => call(agentServer.getDocs, place, options) },
  logs: { name: 'Logs', probe: readLogs },
} satisfies Partial<Record<Feature, { name: string; probe: Probe }>>
type Shown = keyof typeof SHOWN

/** Failures that do not tell whether the server has the feature: they are about the server, the key or the reader. */
const SILENT: readonly AppError['code'][] = [
  'unauthenticated',
  'forbidden',
  'rate_limited',
  'upstream_refused_key',
  'upstream_failed',
  'upstream_unreachable',
  'internal',
]

/**
 * The optional features of a deployment's servers: what the agent server's `/info` says, else what the last 10 minutes
 * showed, else what one read per feature shows now. Throws AppError if the agent server cannot be asked at all.
 */
export async function offeredAt(place: DeploymentPlace, options: CallOptions = {}): Promise<OfferedFeature[]> {
  const { flags } = await readServerInfo(place, options)
  // Logs are the control plane's, which is asked for the workspace.
  const known = new Map([...knownFeatures({ workspace: place.workspace }), ...knownFeatures(place)])
  return Promise.all(
    (Object.keys(SHOWN) as Shown[]).map(async (feature) => ({
      id: feature,
      name: SHOWN[feature].name,
      capability: flagged(flags, feature) ?? known.get(feature) ?? (await probed(feature, place, options)),
    })),
  )
}

function flagged(flags: Record<string, unknown>, feature: Shown): Capability | undefined {
  if (flags[feature] === false)
    return { state: 'no', reason: `This agent server reports that it does not offer ${FEATURES[feature]}.` }
  return flags[feature] === true ? { state: 'yes' } : undefined
}

async function probed(feature: Shown, place: DeploymentPlace, options: CallOptions): Promise<Capability> {
  try {
    const probe: Probe = SHOWN[feature].probe
    return (await probe(place, options)) === NOTHING_TO_READ
      ? { state: 'unknown', reason: 'There is nothing to read yet.' }
      : { state: 'yes' }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const { code, message } = error
    if (code === 'unsupported' || code === 'not_found') return { state: 'no', reason: message }
    // Any other refusal comes from the feature itself.
    return SILENT.includes(code) ? { state: 'unknown', reason: message } : { state: 'yes' }
  }
}

const NOTHING_TO_READ = Symbol('nothing to read')

async function readAgentCard(place: DeploymentPlace, options: CallOptions) {
  const [first] = await call(agentServer.searchAssistants, { ...place, body: { limit: 1 } }, options)
  if (!first) return NOTHING_TO_READ
  return call(agentServer.getAgentCard, { ...place, query: { assistant_id: first.assistant_id } }, options)
}

async function readLogs({ workspace, deploymentId }: DeploymentPlace, options: CallOptions) {
  const params = { deployment_id: deploymentId }
  const { source, active_revision_id, latest_revision_id } = await call(
    controlPlane.getDeployment,
    { workspace, params },
    options,
  )
  if (source === 'external')
    throw new AppError('unsupported', 'Logs come from a control plane, and this workspace has none.')
  const revision = active_revision_id ?? latest_revision_id
  if (!revision) return NOTHING_TO_READ
  return readLogPage({ workspace, deploymentId, revision, type: 'deploy', limit: 1 }, undefined, options)
}
