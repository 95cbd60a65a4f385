import type { V1Deployment, V1PodDisruptionBudget, V1PodSpec } from '@kubernetes/client-node'
import { describe, expect, test } from 'vitest'
import { stringify } from 'yaml'
import { CPU_LIMITS, CPUS, DB_CPUS, SCALES, SIZES } from '@/lib/contracts/deployments/resource-defaults'
import type { ResourceSpec } from '@/lib/contracts/deployments/resource-spec'
import { placeOf, problemsOf } from './dry-run'
import { schemaErrors } from './fixtures/schema-errors'
import { type ManifestObject, podCounts, type RevisionInput, revisionManifests, stableService } from './manifests'
import { serviceName } from './names'
import { specProblems } from './spec-problems'

const FULL: ResourceSpec = {
  min_scale: 2,
  max_scale: 6,
  cpu: 0.5,
  memory_mb: 512,
  queue_min_scale: 1,
  queue_max_scale: 3,
  queue_cpu: 1,
  queue_cpu_limit: 1.5,
  queue_memory_mb: 256,
  queue_memory_limit_mb: 300,
  labels: { team: 'support', 'example.com/cost': 'a1' },
  annotations: { 'example.com/note': 'any text, with spaces' },
  service_account_name: 'agents',
  image_pull_secrets: [{ name: 'registry' }],
  volumes: [
    { name: 'config', configMap: { name: 'c', items: [{ key: 'k', path: 'p' }] } },
    { name: 'keys', secret: { secretName: 's' } },
    { name: 'scratch', emptyDir: { sizeLimit: '1Gi' } },
    { name: 'data', persistentVolumeClaim: { claimName: 'claim' } },
    { name: 'share', nfs: { server: 'files.example.com', path: '/a' } },
    { name: 'mixed', projected: { sources: [{ serviceAccountToken: { path: 't' } }] } },
    { name: 'self', downwardAPI: { items: [{ path: 'l', fieldRef: { fieldPath: 'metadata.labels' } }] } },
    { name: 'cloud', csi: { driver: 'secrets.example.com', readOnly: true } },
  ],
  volume_mounts: [
    { name: 'config', mountPath: '/config', readOnly: true, subPath: 'p', mountPropagation: 'None' },
    { name: 'data', mountPath: '/data', subPathExpr: '$(POD)' },
  ],
  init_containers: [{ name: 'prepare', image: 'busybox:1', command: ['sh', '-c', 'true'], restartPolicy: 'OnFailure' }],
  sidecars: [
    {
      name: 'proxy',
      image: 'envoy:1',
      imagePullPolicy: 'IfNotPresent',
      args: ['--quiet'],
      workingDir: '/w',
      env: [
        { name: 'A', value: '' },
        { name: 'B', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
      ],
      envFrom: [{ secretRef: { name: 's' } }],
      resources: { limits: { cpu: '1' }, requests: { memory: '64Mi' } },
      volumeMounts: [{ name: 'config', mountPath: '/c' }],
      securityContext: { runAsUser: 1000 },
      restartPolicy: 'Always',
    },
    { name: 'metrics', image: 'exporter:1', workingDir: null },
  ],
}

const input = (changed: Partial<RevisionInput> = {}): RevisionInput => ({
  platformId: '7d0c0f1e-0000-4000-8000-000000000001',
  namespace: 'agents',
  deployment: { id: 'a0000000-0000-4000-8000-000000000001', name: 'Customer support (EU)' },
  revisionId: 'b0000000-0000-4000-8000-000000000002',
  image: 'registry.example.com/pilothouse-agent:1',
  isBuilt: true,
  secrets: [{ name: 'MODEL_KEY', value: 'sk-1' }],
  settings: {
    deployment: { id: 'a0000000-0000-4000-8000-000000000001', name: 'Customer support (EU)' },
    revision: { id: 'b0000000-0000-4000-8000-000000000002', commit: 'c0ffee' },
    source: null,
    secretNames: ['MODEL_KEY'],
    databaseUrl: 'postgres://database/x',
    secret: 'a secret of the gateway',
    drainSeconds: 60,
  },
  variables: { PILOTHOUSE_CORS_ORIGINS: '*' },
  spec: null,
  drainSeconds: 60,
  ...changed,
})
const all = (given: RevisionInput): ManifestObject[] => {
  const { owner, owned } = revisionManifests(given)
  return [owner, ...owned, stableService(given)]
}

const podsOf = (given: RevisionInput) =>
  all(given).flatMap((one) => (one.kind === 'Deployment' ? ((one as V1Deployment).spec?.template.spec ?? []) : []))

/** The containers that the standard refuses, after its published rules. */
const refusedByRestricted = ({ initContainers = [], containers, volumes = [] }: V1PodSpec): string[] => {
  const allowed = ['configMap', 'csi', 'downwardAPI', 'emptyDir', 'ephemeral', 'persistentVolumeClaim', 'projected']
  const others = volumes.filter((one) =>
    Object.keys(one).some((key) => key !== 'name' && ![...allowed, 'secret'].includes(key)),
  )
  const refused = [...initContainers, ...containers].filter(({ securityContext: given }) => {
    const seccomp = given?.seccompProfile?.type ?? ''
    return !(
      given?.runAsNonRoot === true &&
      given.runAsUser !== 0 &&
      given.allowPrivilegeEscalation === false &&
      given.capabilities?.drop?.includes('ALL') &&
      ['RuntimeDefault', 'Localhost'].includes(seccomp)
    )
  })
  return [...others, ...refused].map(({ name }) => name)
}

describe('a revision becomes', () => {
  test.each<[string, RevisionInput]>([
    ['nothing-set', input()],
    [
      'image',
      input({ isBuilt: false, image: 'registry.example.com/own:2', spec: { cpu: 1, cpu_limit: 1, max_scale: 2 } }),
    ],
    ['everything-set', input({ spec: FULL })],
  ])('the objects of %s', async (name, given) => {
    const text = all(given)
      .map((object) => stringify(object, { aliasDuplicateObjects: false }))
      .join('---\n')
    await expect(text).toMatchFileSnapshot(`fixtures/${name}.yaml`)
  })

  test('objects that the published schemas accept, and an unknown field is refused', () => {
    for (const given of [input(), input({ spec: FULL }), input({ isBuilt: false })])
      expect(all(given).flatMap(schemaErrors)).toEqual([])
    const { owner } = revisionManifests(input())
    const [agent] = owner.spec?.template.spec?.containers ?? []
    Object.assign(agent ?? {}, { livenesProbe: {} })
    expect(schemaErrors(owner).join('\n')).toContain('containers/0')
  })

  test('objects that all carry our labels, whatever the deployment sets', () => {
    for (const { kind, metadata } of all(input({ spec: FULL })))
      expect([kind, metadata?.labels]).toEqual([
        kind,
        expect.objectContaining({
          team: 'support',
          'app.kubernetes.io/managed-by': 'pilothouse',
          'pilothouse.dev/deployment': input().deployment.id,
        }),
      ])
  })

  test('pods that the pod security standard "restricted" admits', () => {
    expect(podsOf(input({ gitSecret: 'git' })).flatMap(refusedByRestricted)).toEqual([])
    // What a deployment brings along is passed on as it is.
    const { init_containers, sidecars } = FULL
    const own = podsOf(input({ spec: { queue_cpu: 1, ...{ init_containers, sidecars } } }))
    expect(new Set(own.flatMap(refusedByRestricted))).toEqual(new Set(['prepare', 'proxy', 'metrics']))
  })

  test.each<[ResourceSpec | null, string[]]>([
    [null, []],
    [{ min_scale: 2 }, ['api']],
    [{ max_scale: 2, queue_max_scale: 1 }, ['api']],
    [{ queue_max_scale: 3 }, ['queue']],
  ])('disruption budgets for the roles of %j with several pods, which never block a drain', (spec, roles) => {
    const { owner, owned } = revisionManifests(input({ spec }))
    const budgets = owned.filter(({ kind }) => kind === 'PodDisruptionBudget') as V1PodDisruptionBudget[]
    const deployments = [owner, ...owned].filter(({ kind }) => kind === 'Deployment') as V1Deployment[]
    const wanted = deployments.filter(({ metadata }) => roles.includes(metadata?.labels?.['pilothouse.dev/role'] ?? ''))
    expect(budgets.map((one) => [one.metadata?.name, one.spec])).toEqual(
      wanted.map(({ metadata, spec }) => [
        metadata?.name,
        { maxUnavailable: 1, unhealthyPodEvictionPolicy: 'AlwaysAllow', selector: spec?.selector },
      ]),
    )
  })

  test('pods whose agent does not get the credentials with which the source is cloned', () => {
    const [pod] = podsOf(input({ gitSecret: 'git' }))
    expect(pod?.volumes).toContainEqual({ name: 'pilothouse-git', secret: { secretName: 'git' } })
    const having = [...(pod?.initContainers ?? []), ...(pod?.containers ?? [])].filter((one) =>
      JSON.stringify(one).includes('pilothouse-git'),
    )
    expect(having.map(({ name }) => name)).toEqual(['build'])
    expect(JSON.stringify(podsOf(input({ gitSecret: 'git', isBuilt: false })))).not.toContain('pilothouse-git')
  })

  test('no secret outside of the Secret', () => {
    const others = all(input({ spec: FULL })).filter(({ kind }) => kind !== 'Secret')
    expect(JSON.stringify(others)).not.toMatch(/sk-1|a secret of the gateway|postgres:/)
  })
})

test.each([
  ['Customer support (EU)', /^agent-customer-support-eu-[0-9a-f]{8}$/],
  ['äöü', /^agent-[0-9a-f]{8}$/],
  ['x'.repeat(128), /^agent-x{30}-[0-9a-f]{8}$/],
])('a service of deployment %s is named by it as far as the cluster allows', (name, wanted) => {
  expect(serviceName({ id: 'a', name })).toMatch(wanted)
})

describe('what has no counterpart in a cluster is refused with its place', () => {
  const refused = (spec: ResourceSpec) => specProblems(spec).map(({ path: place }) => place.slice(2).join('.'))

  test('every figure is either mapped or refused', () => {
    const mapped = ['min_scale', 'max_scale', 'cpu', 'cpu_limit', 'memory_mb', 'memory_limit_mb']
    const queue = mapped.map((field) => `queue_${field}`)
    for (const field of [...SCALES, ...CPUS, ...CPU_LIMITS, ...DB_CPUS, ...SIZES])
      expect([field, refused({ [field]: 2 })]).toEqual([field, [...mapped, ...queue].includes(field) ? [] : [field]])
  })

  test('a specification that uses every shape is accepted', () => {
    expect(specProblems(FULL)).toEqual([])
  })

  test.each<[string, ResourceSpec, string[]]>([
    ['no replica', { min_scale: 0, max_scale: 0 }, ['min_scale', 'max_scale']],
    ['a label key', { labels: { 'a b': 'x' } }, ['labels.a b']],
    ['a label value', { labels: { a: 'x y' } }, ['labels.a']],
    ['a label of ours', { labels: { 'pilothouse.dev/deployment': 'x' } }, ['labels.pilothouse.dev/deployment']],
    ['an annotation key', { annotations: { '/x': 'any text' } }, ['annotations./x']],
    ['a service account', { service_account_name: 'My_Account' }, ['service_account_name']],
    ['a pull secret', { image_pull_secrets: [{ name: 'A' }] }, ['image_pull_secrets.0.name']],
    ['a volume without a name', { volumes: [{ emptyDir: {} }] }, ['volumes.0.name']],
    ['a volume with two sources', { volumes: [{ name: 'a', emptyDir: {}, nfs: {} }] }, ['volumes.0']],
    ['a volume named like ours', { volumes: [{ name: 'pilothouse-source' }] }, ['volumes.0.name']],
    ['a mount without a path', { volume_mounts: [{ name: 'a' }] }, ['volume_mounts.0.mountPath']],
    ['a mount over ours', { volume_mounts: [{ name: 'a', mountPath: '/tmp' }] }, ['volume_mounts.0.mountPath']],
    [
      'two mounts in one place',
      {
        volume_mounts: [
          { name: 'a', mountPath: '/a' },
          { name: 'b', mountPath: '/a' },
        ],
      },
      ['volume_mounts.1.mountPath'],
    ],
    [
      'both kinds of sub-paths',
      { volume_mounts: [{ name: 'a', mountPath: '/a', subPath: 'x', subPathExpr: 'y' }] },
      ['volume_mounts.0.subPathExpr'],
    ],
    ['a sidecar named like our container', { sidecars: [{ name: 'agent', image: 'x' }] }, ['sidecars.0.name']],
    [
      'a sidecar that ends',
      { sidecars: [{ name: 'a', image: 'x', restartPolicy: 'OnFailure' }] },
      ['sidecars.0.restartPolicy'],
    ],
    [
      'an amount that is none',
      { init_containers: [{ name: 'a', image: 'x', resources: { limits: { cpu: 'much' } } }] },
      ['init_containers.0.resources.limits.cpu'],
    ],
  ])('%s', (_what, spec, wanted) => {
    expect(refused(spec)).toEqual(wanted)
  })
})

test.each([
  ['spec.template.spec.volumes[2].emptyDir.sizeLimit', 'volumes.0.emptyDir.sizeLimit'],
  ['spec.template.spec.containers[0].volumeMounts[3].name', 'volume_mounts.1.name'],
  ['spec.template.spec.containers[1].image', 'sidecars.1.image'],
  ['spec.template.spec.initContainers[0].image', 'sidecars.0.image'],
  ['spec.template.spec.initContainers[1].env[0].name', 'init_containers.0.env.0.name'],
  ['spec.template.labels', 'labels'],
  ['spec.template.spec.imagePullSecrets[0].name', 'image_pull_secrets.0.name'],
])('what a cluster says about %s is told as %s', (field, wanted) => {
  expect(placeOf(field, FULL).join('.')).toBe(wanted)
})

test('a missing namespace is told as the namespace of the listener’s settings', () => {
  expect(problemsOf([{ kind: 'Namespace', field: '', message: 'namespaces "x" not found' }], {})).toMatchObject([
    { path: ['source_config', 'listener_config', 'k8s_namespace'] },
  ])
})

test.each([
  [null, { min: 1, max: 1 }],
  [{ min_scale: 3 }, { min: 3, max: 3 }],
  [
    { min_scale: 3, max_scale: 6 },
    { min: 3, max: 6 },
  ],
  [
    { max_scale: 6, queue_cpu: 1 },
    { min: 2, max: 12 },
  ],
  [
    { min_scale: 3, max_scale: 6, queue_min_scale: 2, queue_max_scale: 4 },
    { min: 5, max: 10 },
  ],
])('%j has that many pods, of both roles', (spec, counts) => {
  expect(podCounts(spec)).toEqual(counts)
})
