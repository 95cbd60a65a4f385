import { expect, test } from 'vitest'
import { CPU_LIMITS, CPUS, DB_CPUS, DO_NOT_USE, SCALES, SIZES } from '@/lib/contracts/deployments/resource-defaults'
import { conformance, imageBody, refusedFields } from './testing'

const it = conformance()
let id: string | undefined
const send = async (resource_spec: unknown) => {
  id ??= await it.parkImage('spec')
  return it.call('updateDeployment', { params: { deployment_id: id }, body: { source_config: { resource_spec } } })
}
/** The rejected fields below `source_config.resource_spec`. */
const refused = async (resource_spec: unknown) =>
  refusedFields(await send(resource_spec))
    .map((place) => place.replace('body.source_config.resource_spec.', ''))
    .sort()

const container = { name: 'side-car', image: 'busybox:1' }
const WHOLE = {
  ...Object.fromEntries([...SCALES, ...CPUS, ...CPU_LIMITS, ...DB_CPUS, ...SIZES].map((field) => [field, 2])),
  db_cpu: 0.5,
  labels: { 'app.kubernetes.io/team': 'a' },
  annotations: { note: 'b' },
  service_account_name: 'agents',
  image_pull_secrets: [{ name: 'registry' }],
  volumes: [
    { name: 'config', configMap: { name: 'c', items: [{ key: 'k', path: 'p' }] } },
    ...['secret', 'emptyDir', 'persistentVolumeClaim', 'nfs', 'projected', 'downwardAPI', 'csi'].map((kind) => ({
      name: kind.toLowerCase(),
      [kind]: { anything: { deep: [1, null, 'x'] } },
    })),
    {},
  ],
  volume_mounts: [
    { name: 'config', mountPath: '/c', subPath: 's', mountPropagation: 'None', subPathExpr: '$(A)', readOnly: true },
    { mountPath: '/x' },
  ],
  init_containers: [{ ...container, name: 'first' }],
  sidecars: [
    {
      ...container,
      imagePullPolicy: 'IfNotPresent',
      command: ['sh'],
      args: ['-c', 'true'],
      workingDir: '/w',
      env: [
        { name: 'A' },
        { name: 'B', value: '' },
        { name: 'C', value: '', valueFrom: { fieldRef: { fieldPath: 'x' } } },
      ],
      envFrom: [{ secretRef: { name: 's' } }],
      resources: { limits: { cpu: '1' }, requests: { memory: '64Mi' } },
      volumeMounts: [{ name: 'config', mountPath: '/c' }],
      securityContext: { runAsUser: 1000 },
      restartPolicy: 'Always',
    },
  ],
}

test('a specification with every field and shape is stored and returned whole, byte for byte', async () => {
  const { status, body } = await send(WHOLE)
  expect(status).toBe(200)
  expect(body.source_config.resource_spec).toEqual(WHOLE)
})

test('a field left to a default rule stays absent in the record, so that the rule still applies at the next change', async () => {
  const { body } = await send({ cpu: 2, memory_mb: null })
  expect(body.source_config.resource_spec).toEqual({ cpu: 2, memory_mb: null })
})

test.each([
  ...SCALES.flatMap(
    (field) =>
      [
        [field, -1, 'greater_than_equal'],
        [field, 1.5, 'int_from_float'],
      ] as const,
  ),
  ...SIZES.flatMap(
    (field) =>
      [
        [field, 0, 'greater_than_equal'],
        [field, 1.5, 'int_from_float'],
        [field, '1', 'int_type'],
      ] as const,
  ),
  ...CPUS.flatMap(
    (field) =>
      [
        [field, 0, 'greater_than_equal'],
        [field, 8.5, 'less_than_equal'],
        [field, '1', 'float_type'],
      ] as const,
  ),
  ...CPU_LIMITS.map((field) => [field, 17, 'less_than_equal'] as const),
  ...DB_CPUS.flatMap(
    (field) =>
      [
        [field, 0, 'greater_than'],
        [field, true, 'float_type'],
      ] as const,
  ),
  ['labels', { a: 1 }, 'string_type', 'labels.a'],
  ['annotations', ['a'], 'dict_type'],
  ['service_account_name', 5, 'string_type'],
  ['image_pull_secrets', ['x'], 'dict_type', 'image_pull_secrets.0'],
  ['image_pull_secrets', [{}], 'missing', 'image_pull_secrets.0.name'],
  ['node_selector', {}, 'extra_forbidden'],
] as const)('%s of %o is refused with its location', async (field, value, type, place: string = field) => {
  // Only the schema, because hundreds of requests would prove no more.
  expect(await refused({ [field]: value })).toEqual([`${place}: ${type}`])
})

test.each([
  ['min_scale', 'max_scale'],
  ['queue_min_scale', 'queue_max_scale'],
  ['cpu', 'cpu_limit'],
  ['memory_mb', 'memory_limit_mb'],
  ['queue_cpu', 'queue_cpu_limit'],
  ['queue_memory_mb', 'queue_memory_limit_mb'],
  ['db_cpu', 'db_cpu_limit'],
  ['db_memory_mb', 'db_memory_limit_mb'],
])('%s may not exceed %s', async (low, high) => {
  expect(await refused({ [low]: 4, [high]: 3 })).toEqual([`${high}: value_error`])
})

test.each([
  [
    'a volume name that is no DNS label',
    { volumes: [{ name: 'Data_1' }] },
    ['volumes.0.name: string_pattern_mismatch'],
  ],
  ['two volumes of one name', { volumes: [{ name: 'a' }, { name: 'a' }] }, ['volumes.1.name: value_error']],
  ['an unknown kind of volume', { volumes: [{ name: 'a', hostPath: {} }] }, ['volumes.0.hostPath: extra_forbidden']],
  ['a volume kind that is no object', { volumes: [{ name: 'a', nfs: 'x' }] }, ['volumes.0.nfs: dict_type']],
  [
    'a mount of no volume',
    { volumes: [{ name: 'a' }], volume_mounts: [{ name: 'b' }, { name: '' }] },
    ['volume_mounts.0.name: value_error', 'volume_mounts.1.name: value_error'],
  ],
  ['a readOnly that is a word', { volume_mounts: [{ readOnly: 'yes' }] }, ['volume_mounts.0.readOnly: bool_type']],
  [
    'a sidecar’s mount of no volume',
    { sidecars: [{ ...container, volumeMounts: [{ name: 'b' }] }] },
    ['sidecars.0.volumeMounts.0.name: value_error'],
  ],
  [
    'an init container’s mount of no volume',
    { init_containers: [{ ...container, volumeMounts: [{ name: 'b' }] }] },
    ['init_containers.0.volumeMounts.0.name: value_error'],
  ],
  ['a container without name and image', { sidecars: [{}] }, ['sidecars.0.image: missing', 'sidecars.0.name: missing']],
  [
    'a container name that is no DNS label',
    { sidecars: [{ ...container, name: '-a' }] },
    ['sidecars.0.name: string_pattern_mismatch'],
  ],
  [
    'two containers of one name',
    { init_containers: [container], sidecars: [container] },
    ['sidecars.0.name: value_error'],
  ],
  [
    'unknown policies',
    { sidecars: [{ ...container, imagePullPolicy: 'Sometimes', restartPolicy: 'Never' }] },
    ['sidecars.0.imagePullPolicy: enum', 'sidecars.0.restartPolicy: enum'],
  ],
  [
    'a variable that is no C identifier',
    { sidecars: [{ ...container, env: [{ name: '1A' }] }] },
    ['sidecars.0.env.0.name: string_pattern_mismatch'],
  ],
  [
    'a variable without a name',
    { sidecars: [{ ...container, env: [{ value: 'x' }] }] },
    ['sidecars.0.env.0.name: missing'],
  ],
  [
    'a variable with value and valueFrom',
    { sidecars: [{ ...container, env: [{ name: 'A', value: 'x', valueFrom: {} }] }] },
    ['sidecars.0.env.0.valueFrom: value_error'],
  ],
  [
    'arguments that are one text',
    { sidecars: [{ ...container, command: 'sh', args: [1] }] },
    ['sidecars.0.args.0: string_type', 'sidecars.0.command: list_type'],
  ],
  [
    'amounts that are numbers',
    { sidecars: [{ ...container, resources: { limits: { cpu: 1 } } }] },
    ['sidecars.0.resources.limits.cpu: string_type'],
  ],
  [
    'an unknown field of a container',
    { sidecars: [{ ...container, ports: [] }] },
    ['sidecars.0.ports: extra_forbidden'],
  ],
])('%s is refused with its location', async (_what, spec, wanted) => {
  expect(await refused(spec)).toEqual(wanted)
})

test('the same rules apply to a create', async () => {
  const body = imageBody('x', { resource_spec: { volume_mounts: [{ name: 'none' }] } })
  expect(refusedFields(await it.call('createDeployment', { body }))).toEqual([
    'body.source_config.resource_spec.volume_mounts.0.name: value_error',
  ])
})

test('a "do not use" field is accepted, stored, and flagged in the deploy log of each revision that has it', async () => {
  const flagged = (revision: string) =>
    it.fixture.client
      .log(id as string, revision, 'deploy')
      .then((log) => [...log.matchAll(/resource_spec\.(\w+) is marked "do not use"/g)].map(([, field]) => field))
  const spec = Object.fromEntries(DO_NOT_USE.map((field) => [field, 1]))
  const { body } = await send(spec)
  expect(body.source_config.resource_spec).toEqual(spec)
  expect(await flagged(body.latest_revision_id)).toEqual([...DO_NOT_USE])
  const params = { deployment_id: id as string }
  const next = await it.call('createRevision', { params, body: {} })
  expect(await flagged(next.body.id)).toEqual([...DO_NOT_USE])
  const without = await send({ cpu: 1, orchestrator_cpu: null })
  expect(await flagged(without.body.latest_revision_id)).toEqual([])
})
