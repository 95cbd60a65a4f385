import type { SourceConfig } from '@/lib/contracts/deployments/deployments'
import { withDefaults } from '@/lib/contracts/deployments/resource-defaults'
import { heapLimitFor } from './memory-limit'

export type AppliedResources = {
  memoryLimitMb: number | undefined
  /** The deploy log's lines about the spec. */
  lines: string[]
}

const ONE_REPLICA = new Set(['min_scale', 'max_scale'])

/**
 * The parts of a resource spec that a local process can honour: the memory limit, and one replica. Other settings
 * are listed in the log as having no effect.
 */
export function applyResources(config: Pick<SourceConfig, 'resource_spec' | 'custom_url'>): AppliedResources {
  const spec = config.resource_spec ?? {}
  const memoryLimitMb = withDefaults(spec).memory_limit_mb ?? undefined
  const applied = new Set(['memory_mb', 'memory_limit_mb'])
  const others = Object.entries(spec).filter(([field, value]) => !applied.has(field) && isSet(value))
  const rest = others.flatMap(([field, value]) => {
    if (!ONE_REPLICA.has(field)) return [field]
    return value === 1 ? [] : [`${field} ${value} (one replica runs)`]
  })
  if (config.custom_url) rest.push('custom_url')
  const lines: string[] = []
  if (memoryLimitMb !== undefined)
    lines.push(`Memory limit: ${memoryLimitMb} MB, of that ${heapLimitFor(memoryLimitMb)} MB for JavaScript objects.`)
  if (rest.length) lines.push(`Stored but not applied here: ${rest.join(', ')}.`)
  return { memoryLimitMb, lines }
}

const isSet = (value: unknown): boolean =>
  value !== null && value !== undefined && (typeof value !== 'object' || Object.keys(value).length > 0)
