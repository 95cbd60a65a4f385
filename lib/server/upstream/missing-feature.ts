import 'server-only'
import type { Operation } from '@/lib/contracts/wire/api'

/** What a server may lack as a whole, mostly groups of operations. Every server has the rest. */
export const FEATURES = {
  crons: 'crons',
  store: 'a store',
  a2a: 'agent-to-agent endpoints',
  mcp: 'MCP endpoints',
  metrics: 'metrics',
  docs: 'an API reference',
  logs: 'logs',
  listeners: 'listeners',
  listenerTokens: 'tokens for listeners',
  integrations: 'source integrations',
  traces: 'traces',
  tasks: 'the stream mode tasks',
} as const
export type Feature = keyof typeof FEATURES

const BY_PATH: [RegExp, Feature][] = [
  [/\/crons/, 'crons'],
  [/^\/store\//, 'store'],
  [/^\/a2a\/|agent-card/, 'a2a'],
  [/^\/mcp\//, 'mcp'],
  [/^\/metrics/, 'metrics'],
  [/^\/(docs|openapi)/, 'docs'],
  [/logs$/, 'logs'],
  [/^\/v2\/listeners\/.*\/token$/, 'listenerTokens'],
  [/^\/v2\/listeners/, 'listeners'],
  [/^\/v1\/integrations/, 'integrations'],
]

/** The group an operation belongs to; undefined for operations that every server has. */
export const featureOf = (op: Operation): Feature | undefined =>
  op.api === 'traces' ? 'traces' : BY_PATH.find(([path]) => path.test(op.path))?.[1]

/** Bodies that known routers send for an unknown path. A missing record has a different message. */
const NO_ROUTE = new Set(['', 'Not Found', '404 Not Found', '404 page not found', '{"detail":"Not Found"}'])

/** A sentence if the refusal means that the server lacks the whole operation; otherwise undefined. */
export function missingFeature(op: Operation, status: number, text: string): string | undefined {
  const isRecord = op.path.endsWith('}')
  const isMissing =
    status === 405 ||
    status === 501 ||
    (status === 500 && /^\W*not implemented\W*$/i.test(text)) ||
    (status === 404 && !isRecord && NO_ROUTE.has(text.trim()))
  if (!isMissing) return undefined
  const feature = featureOf(op)
  const server = { 'agent-server': 'agent server', 'control-plane': 'control plane', traces: 'tracing server' }[op.api]
  return `This ${server} does not offer ${feature ? FEATURES[feature] : op.id} (it responded with status ${status}).`
}
