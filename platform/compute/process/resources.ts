import type { SourceConfig } from '@/lib/contracts/deployments/deployments'
import { withDefaults } from '@/lib/contracts/deployments/resource-defaults'
import { heapLimitFor } from './memory-limit'
import { MOST_PROCESSES } from './server-group'

export type AppliedResources = {
  memoryLimitMb: number | undefined
  /** How many processes to keep. */
  processes: number
  /** The deploy log's lines about the spec. */
  lines: string[]
}

const SCALE = new Set(['min_scale', 'max_scale'])

/**
 * The parts of a resource spec that local processes can honour: the memory limit of each, and as many as `min_scale`. Other
 * settings are listed in the log as having no effect.
 */
export function applyResources(config: Pick<SourceConfig, 'resource_spec'>): AppliedResources {
  const spec = config.resource_spec ?? {}
  const memoryLimitMb = withDefaults(spec).memory_limit_mb ?? undefined
  const applied = new Set(['memory_mb', 'memory_limit_mb'])
  const others = Object.entries(spec).filter(([field, value]) => !applied.has(field) && isSet(value))
  const processes = Math.min(Math.max(spec.min_scale ?? 1, 1), MOST_PROCESSES)
  const run = processes === 1 ? 'one replica runs' : `${processes} replicas run`
  const rest = others.flatMap(([field, value]) => {
    if (!SCALE.has(field)) return [field]
    return value === processes ? [] : [`${field} ${value} (${run})`]
  })
  const lines: string[] = []
  if (processes > 1) lines.push(`Replicas: ${processes} processes, which share its runs.`)
  if (memoryLimitMb !== undefined)
    lines.push(`Memory limit: ${memoryLimitMb} MB, of that ${heapLimitFor(memoryLimitMb)} MB for JavaScript objects.`)
  if (rest.length) lines.push(`Stored but not applied here: ${rest.join(', ')}.`)
  return { memoryLimitMb, processes, lines }
}

const isSet = (value: unknown): boolean =>
  value !== null && value !== undefined && (typeof value !== 'object' || Object.keys(value).length > 0)
