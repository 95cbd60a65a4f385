import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { toValidationError } from '../wire/http-validation-error'
import { DEFAULT_RULES, DO_NOT_USE, withDefaults } from './resource-defaults'
import { ResourceSpec, ResourceSpecRequest } from './resource-spec'

function refusals(value: unknown): string[] {
  const parsed = ResourceSpecRequest.safeParse(value)
  return parsed.success
    ? []
    : toValidationError(parsed.error, 'body').detail.map(({ type, loc }) => `${type} ${loc.slice(1).join('.')}`)
}

describe('defaults', () => {
  test.each([
    [{ cpu: 1 }, { cpu_limit: 2, queue_cpu: 1, queue_cpu_limit: 2 }],
    [
      { cpu: 1, queue_cpu: 3 },
      { cpu_limit: 2, queue_cpu: 3, queue_cpu_limit: 6 },
    ],
    [{ memory_mb: 512 }, { memory_limit_mb: 1024, queue_memory_mb: 512, queue_memory_limit_mb: 1024 }],
    [
      { min_scale: 1, max_scale: 4 },
      { queue_min_scale: 1, queue_max_scale: 4 },
    ],
    [
      { db_cpu: 0.5, db_memory_mb: 256 },
      { db_cpu_limit: 1, db_memory_limit_mb: 512 },
    ],
    [{ redis_memory_mb: 100 }, { redis_memory_limit_mb: 100 }],
    [{ cpu: 0.1 }, { cpu_limit: 0.2, queue_cpu: 0.1, queue_cpu_limit: 0.2 }],
    [
      { cpu: 1, cpu_limit: 1 },
      { cpu_limit: 1, queue_cpu_limit: 2 },
    ],
    [{}, {}],
  ])('%j takes effect with %j', (spec, effective) => {
    expect(withDefaults(spec)).toMatchObject({ ...spec, ...effective })
  })

  test('given values are never replaced, applying it twice changes nothing, and the argument is not modified', () => {
    const figure = fc.option(fc.integer({ min: 1, max: 8 }), { nil: null })
    const fields = [...new Set(DEFAULT_RULES.flatMap(({ field, from }) => [field, from]))]
    fc.assert(
      fc.property(
        fc.record(Object.fromEntries(fields.map((field) => [field, figure])), { requiredKeys: [] }),
        (spec) => {
          const before = structuredClone(spec)
          const once = withDefaults(spec)
          expect(spec).toEqual(before)
          expect(withDefaults(once)).toEqual(once)
          for (const [field, value] of Object.entries(spec))
            if (value !== null) expect(once).toHaveProperty(field, value)
        },
      ),
    )
  })

  test('nothing is derived for fields marked "do not use"', () => {
    expect(DO_NOT_USE).toHaveLength(10)
    expect(DEFAULT_RULES.filter(({ field }) => DO_NOT_USE.includes(field))).toEqual([])
  })
})

describe('a request', () => {
  const container = { name: 'side', image: 'busybox' }

  test('accepts every field of the API', () => {
    const spec = {
      min_scale: 0,
      max_scale: 3,
      cpu: 0.5,
      cpu_limit: 16,
      memory_mb: 1,
      memory_limit_mb: 2,
      queue_min_scale: 1,
      queue_max_scale: 2,
      queue_cpu: 1,
      queue_cpu_limit: 2,
      queue_memory_mb: 1,
      queue_memory_limit_mb: 2,
      orchestrator_cpu: 1,
      orchestrator_cpu_limit: 1,
      orchestrator_memory_mb: 1,
      orchestrator_memory_limit_mb: 1,
      orchestrator_min_scale: 1,
      orchestrator_max_scale: 1,
      executor_cpu: 1,
      executor_cpu_limit: 1,
      executor_memory_mb: 1,
      executor_memory_limit_mb: 1,
      redis_memory_mb: 1,
      labels: { a: 'b' },
      annotations: { a: 'b' },
      service_account_name: 's',
      image_pull_secrets: [{ name: 's' }],
      volumes: [{ name: 'v', emptyDir: {} }],
      volume_mounts: [{ name: 'v', mountPath: '/v', readOnly: true }],
      init_containers: [container],
      sidecars: [
        {
          ...container,
          name: 'other',
          imagePullPolicy: 'Always',
          command: ['a'],
          args: ['b'],
          workingDir: '/',
          env: [
            { name: 'A', value: 'b' },
            { name: 'B', valueFrom: {} },
          ],
          envFrom: [{}],
          resources: { limits: { cpu: '1' }, requests: { cpu: '1' } },
          volumeMounts: [{ name: 'v' }],
          securityContext: {},
          restartPolicy: 'OnFailure',
        },
      ],
      db_cpu: 0.5,
      db_cpu_limit: 1,
      db_memory_mb: 1,
      db_memory_limit_mb: 1,
      db_storage_gi: 1,
      db_max_connections: 1,
      core_cpu: 1,
      core_memory_mb: 1,
      redis_cpu: 1,
      redis_cpu_limit: 1,
      redis_memory_limit_mb: 1,
    }
    expect(refusals(spec)).toEqual([])
    expect(ResourceSpec.parse(spec)).toEqual(spec)
    expect(refusals(Object.fromEntries(Object.keys(spec).map((key) => [key, null])))).toEqual([])
  })

  test.each([
    [{ cpu: 9 }, 'less_than_equal cpu'],
    [{ cpu: 0 }, 'greater_than_equal cpu'],
    [{ cpu_limit: 17 }, 'less_than_equal cpu_limit'],
    [{ memory_mb: 1.5 }, 'int_from_float memory_mb'],
    [{ memory_mb: '5' }, 'float_type memory_mb'],
    [{ min_scale: -1 }, 'greater_than_equal min_scale'],
    [{ min_scale: 3, max_scale: 2 }, 'value_error max_scale'],
    [{ cpu: 2, cpu_limit: 1 }, 'value_error cpu_limit'],
    [{ gpu: 1 }, 'extra_forbidden gpu'],
    [{ labels: { a: 1 } }, 'string_type labels.a'],
    [{ image_pull_secrets: [{}] }, 'missing image_pull_secrets.0.name'],
    [{ volumes: [{ name: 'Not_A_Label' }] }, 'string_pattern_mismatch volumes.0.name'],
    [{ volumes: [{ name: 'v', emptyDir: [] }] }, 'dict_type volumes.0.emptyDir'],
    [{ volumes: [{ name: 'v' }, { name: 'v' }] }, 'value_error volumes.1.name'],
    [{ volume_mounts: [{ name: 'absent' }] }, 'value_error volume_mounts.0.name'],
    [
      { sidecars: [{ ...container, volumeMounts: [{ name: 'absent' }] }] },
      'value_error sidecars.0.volumeMounts.0.name',
    ],
    [{ sidecars: [{ image: 'i' }] }, 'missing sidecars.0.name'],
    [{ sidecars: [{ name: 'x' }] }, 'missing sidecars.0.image'],
    [{ sidecars: [{ ...container, name: '-x' }] }, 'string_pattern_mismatch sidecars.0.name'],
    [{ sidecars: [container, container] }, 'value_error sidecars.1.name'],
    [{ sidecars: [{ ...container, imagePullPolicy: 'Sometimes' }] }, 'enum sidecars.0.imagePullPolicy'],
    [{ sidecars: [{ ...container, restartPolicy: 'Never' }] }, 'enum sidecars.0.restartPolicy'],
    [{ sidecars: [{ ...container, env: [{ name: '1A' }] }] }, 'string_pattern_mismatch sidecars.0.env.0.name'],
    [
      { sidecars: [{ ...container, env: [{ name: 'A', value: 'b', valueFrom: {} }] }] },
      'value_error sidecars.0.env.0.valueFrom',
    ],
    [
      { sidecars: [{ ...container, resources: { limits: { cpu: 1 } } }] },
      'string_type sidecars.0.resources.limits.cpu',
    ],
  ])('%j is refused: %s', (spec, refusal) => {
    expect(refusals(spec)).toEqual([refusal])
  })

  test('valueFrom is allowed beside an empty value', () => {
    expect(refusals({ sidecars: [{ ...container, env: [{ name: 'A', value: '', valueFrom: {} }] }] })).toEqual([])
  })
})
