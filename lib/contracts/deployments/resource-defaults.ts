/** Fields of a resource spec, their defaults and rules, without the schemas, so that forms stay small. */

/** Replica counts. */
export const SCALES = [
  ...(['min_scale', 'max_scale', 'queue_min_scale', 'queue_max_scale'] as const),
  ...(['orchestrator_min_scale', 'orchestrator_max_scale'] as const),
] as const
/** Cores that a replica requests, 0.1 to 8. */
export const CPUS = ['cpu', 'queue_cpu', 'orchestrator_cpu', 'executor_cpu', 'core_cpu', 'redis_cpu'] as const
/** Cores that a replica may use, 0.1 to 16. */
export const CPU_LIMITS = CPUS.map((field) => `${field}_limit` as const)
/** Cores of the database; no range is published. */
export const DB_CPUS = ['db_cpu', 'db_cpu_limit'] as const
/** Memory in MB, storage in GiB, connections: whole numbers from 1. */
export const SIZES = [
  ...(['memory_mb', 'memory_limit_mb', 'queue_memory_mb', 'queue_memory_limit_mb'] as const),
  ...(['orchestrator_memory_mb', 'orchestrator_memory_limit_mb'] as const),
  ...(['executor_memory_mb', 'executor_memory_limit_mb', 'core_memory_mb', 'core_memory_limit_mb'] as const),
  ...(['redis_memory_mb', 'redis_memory_limit_mb', 'db_memory_mb', 'db_memory_limit_mb'] as const),
  ...(['db_storage_gi', 'db_max_connections'] as const),
] as const

export type Figure = (typeof SCALES | typeof CPUS | typeof CPU_LIMITS | typeof DB_CPUS | typeof SIZES)[number]
type Figures = { readonly [Field in Figure]?: number | null }

/** Internal fields that the platform marks "do not use". Shown if set, never offered. */
export const DO_NOT_USE: readonly Figure[] = [...SCALES, ...CPUS, ...CPU_LIMITS, ...SIZES].filter((field) =>
  /^(orchestrator|executor)_/.test(field),
)

/** The platform rounds CPUs to one decimal. */
const oneDecimal = (value: number) => Math.round(value * 10) / 10

type Rule = { field: Figure; from: Figure; times: 1 | 2 }

/** In order, because later rules use the results of earlier ones. */
export const DEFAULT_RULES: readonly Rule[] = [
  { field: 'cpu_limit', from: 'cpu', times: 2 },
  { field: 'memory_limit_mb', from: 'memory_mb', times: 2 },
  { field: 'queue_min_scale', from: 'min_scale', times: 1 },
  { field: 'queue_max_scale', from: 'max_scale', times: 1 },
  { field: 'queue_cpu', from: 'cpu', times: 1 },
  { field: 'queue_cpu_limit', from: 'queue_cpu', times: 2 },
  { field: 'queue_memory_mb', from: 'memory_mb', times: 1 },
  { field: 'queue_memory_limit_mb', from: 'queue_memory_mb', times: 2 },
  { field: 'redis_memory_limit_mb', from: 'redis_memory_mb', times: 1 },
  { field: 'db_cpu_limit', from: 'db_cpu', times: 2 },
  { field: 'db_memory_limit_mb', from: 'db_memory_mb', times: 2 },
]

/** The effective values: the given ones, filled up with the platform's defaults. Does not change its argument. */
export function withDefaults<Spec extends Figures>(spec: Spec): Spec & { [Field in Figure]?: number | null } {
  const effective: { [Field in Figure]?: number | null } & Spec = { ...spec }
  const figures: { [Field in Figure]?: number | null } = effective
  for (const { field, from, times } of DEFAULT_RULES) {
    const base = figures[from]
    if (typeof figures[field] !== 'number' && typeof base === 'number') figures[field] = oneDecimal(base * times)
  }
  return effective
}

export type ResourceProblem = { path: (string | number)[]; message: string }

/** Pairs whose first must not exceed the second, or the cluster rejects them. */
const NOT_ABOVE: readonly (readonly [Figure, Figure])[] = [
  ['min_scale', 'max_scale'],
  ['queue_min_scale', 'queue_max_scale'],
  ['cpu', 'cpu_limit'],
  ['memory_mb', 'memory_limit_mb'],
  ['queue_cpu', 'queue_cpu_limit'],
  ['queue_memory_mb', 'queue_memory_limit_mb'],
  ['redis_cpu', 'redis_cpu_limit'],
  ['redis_memory_mb', 'redis_memory_limit_mb'],
  ['db_cpu', 'db_cpu_limit'],
  ['db_memory_mb', 'db_memory_limit_mb'],
]

type Named = { name?: string | null }
type Container = Named & { volumeMounts?: readonly Named[] | null }
type Checked = Figures & {
  volumes?: readonly Named[] | null
  volume_mounts?: readonly Named[] | null
  init_containers?: readonly Container[] | null
  sidecars?: readonly Container[] | null
}

/** Rules between the fields of a spec: order of values, unique names, mounts that name one of its volumes. */
export function resourceProblems(spec: Checked): ResourceProblem[] {
  const problems: ResourceProblem[] = []
  for (const [low, high] of NOT_ABOVE) {
    const lower = spec[low]
    const upper = spec[high]
    if (typeof lower === 'number' && typeof upper === 'number' && lower > upper)
      problems.push({ path: [high], message: `${high} must not be below ${low}` })
  }
  const volumes = new Set<string>()
  for (const [index, { name }] of (spec.volumes ?? []).entries()) {
    if (!name) continue
    if (volumes.has(name))
      problems.push({ path: ['volumes', index, 'name'], message: `Another volume is already named ${name}` })
    volumes.add(name)
  }
  const checkMounts = (mounts: readonly Named[] | null | undefined, ...path: (string | number)[]) => {
    for (const [index, { name }] of (mounts ?? []).entries())
      if (typeof name === 'string' && !volumes.has(name))
        problems.push({
          path: [...path, index, 'name'],
          message: name ? `No volume is named ${name}` : 'Enter the name of a volume',
        })
  }
  checkMounts(spec.volume_mounts, 'volume_mounts')
  // Init containers and sidecars live in one pod, so their names share one space.
  const names = new Set<string>()
  for (const list of ['init_containers', 'sidecars'] as const) {
    for (const [index, container] of (spec[list] ?? []).entries()) {
      if (container.name && names.has(container.name))
        problems.push({ path: [list, index, 'name'], message: `Another container is already named ${container.name}` })
      if (container.name) names.add(container.name)
      checkMounts(container.volumeMounts, list, index, 'volumeMounts')
    }
  }
  return problems
}
