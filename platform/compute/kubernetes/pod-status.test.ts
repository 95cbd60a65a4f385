import type { V1ContainerStatus, V1Deployment, V1Pod } from '@kubernetes/client-node'
import { expect, test } from 'vitest'
import { readRevision } from './pod-status'

const NOW = Date.parse('2026-11-25T12:00:00Z')
const deployment = (conditions: object[] = [], replicas = 1) =>
  ({ spec: { replicas }, status: { conditions } }) as unknown as V1Deployment
const container = (changed: object = {}): V1ContainerStatus => ({
  name: 'agent',
  image: 'registry.example.com/agent:1',
  imageID: '',
  ready: false,
  restartCount: 0,
  ...changed,
})
const pod = (status: object, changed: object = {}): V1Pod =>
  ({
    metadata: { name: 'agent-x-1', uid: 'u1', creationTimestamp: new Date(NOW - 60_000), ...changed },
    status,
  }) as V1Pod
const waiting = (reason: string, message?: string, more: object = {}) =>
  pod({ phase: 'Pending', containerStatuses: [container({ state: { waiting: { reason, message } }, ...more })] })
const read = (pods: V1Pod[], of: V1Deployment = deployment(), events: object[] = []) =>
  readRevision({ deployment: of, pods, events: events as never }, NOW)
const READY = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] }

test('ready replicas of both roles are counted; a pod that is ending is not', () => {
  const pods = [
    pod(READY),
    pod(READY, { deletionTimestamp: new Date(NOW) }),
    pod(READY, { labels: { 'pilothouse.dev/role': 'queue' } }),
    pod({ phase: 'Running', conditions: [{ type: 'Ready', status: 'False' }] }),
  ]
  const observation = { deployment: deployment([], 3), pods, events: [] }
  expect(readRevision({ ...observation, queue: deployment([], 2) }, NOW)).toMatchObject({ ready: 2, wanted: 5 })
})

test.each<[string, V1Pod, RegExp]>([
  [
    'an image that the registry does not have',
    waiting('ImagePullBackOff', 'Back-off pulling image: ErrImagePull: manifest unknown: not found'),
    /^Image registry\.example\.com\/agent:1 cannot be pulled: the registry does not have it\./,
  ],
  [
    'an image that needs a password',
    waiting('ImagePullBackOff', 'failed to authorize: 401 Unauthorized'),
    /the registry refuses access\. Add image_pull_secrets/,
  ],
  [
    'a registry that is away',
    waiting('ImagePullBackOff', 'dial tcp: lookup registry.example.com: no such host'),
    /the registry is not reachable from the node/,
  ],
  [
    'a registry that the node does not trust',
    waiting(
      'ImagePullBackOff',
      'failed to do request: Head "https://r/v2/": x509: certificate signed by unknown authority',
    ),
    /cannot be pulled: the node does not trust the certificate of the registry\./,
  ],
  [
    'a registry without TLS',
    waiting('ImagePullBackOff', 'failed to do request: http: server gave HTTP response to HTTPS client'),
    /cannot be pulled: the registry has no TLS, which the node expects\./,
  ],
  [
    'a node without a network',
    waiting(
      'ImagePullBackOff',
      'failed to do request: dial tcp: lookup r on 10.0.0.53:53: dial udp: network is unreachable',
    ),
    /the registry is not reachable from the node/,
  ],
  ['a name that is none', waiting('InvalidImageName', 'couldn’t parse image name'), /has no valid name\.$/],
  ['an image that must be there', waiting('ErrImageNeverPull'), /its pull policy is Never\.$/],
  [
    'a missing Secret',
    waiting('CreateContainerConfigError', 'secret "s" not found'),
    /^The agent server cannot be created: secret "s" not found\.$/,
  ],
  [
    'a command that does not exist',
    waiting('RunContainerError', 'exec: "x": executable file not found in $PATH'),
    /cannot be created: exec: "x"/,
  ],
  [
    'a graph that cannot be loaded: the first exit is enough',
    pod({
      containerStatuses: [
        container({
          restartCount: 0,
          state: { terminated: { exitCode: 78, message: '{"level":"ERROR","message":"no model key"}\n' } },
        }),
      ],
    }),
    /^The agent server exited: exit code 78\.\nno model key$/,
  ],
  [
    'a crash loop',
    pod({
      containerStatuses: [
        container({
          restartCount: 2,
          state: { waiting: { reason: 'CrashLoopBackOff', message: 'back-off 40s restarting failed container' } },
          lastState: { terminated: { exitCode: 1, reason: 'Error', message: 'boom' } },
        }),
      ],
    }),
    /^The agent server exited: exit code 1\. It was started 3 times\.\nboom$/,
  ],
  [
    'too little memory, again and again',
    pod({
      containerStatuses: [
        container({
          restartCount: 3,
          state: { waiting: { reason: 'CrashLoopBackOff' } },
          lastState: { terminated: { exitCode: 137, reason: 'OOMKilled' } },
        }),
      ],
    }),
    /it used more memory than its limit\. It was started 4 times/,
  ],
  [
    'a failed build',
    pod({
      initContainerStatuses: [
        container({ name: 'build', state: { terminated: { exitCode: 1, message: 'npm ERR!' } } }),
      ],
    }),
    /^The build exited: exit code 1\.\nnpm ERR!$/,
  ],
])('%s ends the roll-out with the reason', (_what, given, wanted) => {
  expect(read([given]).failure).toMatch(wanted)
})

test.each<[string, object, RegExp]>([
  [
    'a quota',
    { message: 'pods "agent-x-" is forbidden: exceeded quota: team, requested: pods=1, used: pods=5, limited: pods=5' },
    /^The quota of the namespace does not allow another pod: team, requested: pods=1/,
  ],
  [
    'a quota of what containers do not ask for',
    {
      message:
        'pods "agent-x-" is forbidden: failed quota: team: must specify limits.cpu for: build; limits.memory for: build',
    },
    /^The quota of the namespace limits what these containers have not set: limits\.cpu for: build; limits\.memory for: build\. .*LimitRange/,
  ],
  [
    'the security rules',
    { message: 'pods "agent-x-" is forbidden: violates PodSecurity "restricted:latest": runAsNonRoot != true' },
    /^The security rules of the namespace refuse the pods/,
  ],
  [
    'a missing service account',
    { message: 'pods "agent-x-" is forbidden: error looking up service account a/b: serviceaccount "b" not found' },
    /^The service account does not exist/,
  ],
])('pods that %s refuses end the roll-out with the reason', (_what, condition, wanted) => {
  const refused = deployment([{ type: 'ReplicaFailure', status: 'True', reason: 'FailedCreate', ...condition }])
  expect(read([], refused).failure).toMatch(wanted)
})

test.each<[string, V1Pod, RegExp]>([
  ['the first failed pull', waiting('ErrImagePull', 'i/o timeout'), /the registry is not reachable/],
  [
    'no node',
    pod({
      phase: 'Pending',
      conditions: [
        { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: '0/3 nodes: Insufficient cpu' },
      ],
    }),
    /^No node can take pod agent-x-1: 0\/3 nodes: Insufficient cpu\.$/,
  ],
  [
    'an eviction',
    pod({ phase: 'Failed', reason: 'Evicted', message: 'The node was low on resource: memory.' }),
    /^Pod agent-x-1 was evicted from its node\. The node was low on resource: memory\.$/,
  ],
  [
    'a Secret that comes a moment later',
    pod(
      {
        containerStatuses: [container({ state: { waiting: { reason: 'CreateContainerConfigError', message: 'x' } } })],
      },
      { creationTimestamp: new Date(NOW - 1000) },
    ),
    /cannot be created/,
  ],
])('%s is waited for, and told', (_what, given, wanted) => {
  const { failure, problem, lines } = read([given])
  expect([failure, problem]).toEqual([undefined, expect.stringMatching(wanted)])
  expect(lines).toMatchObject([{ level: 'WARNING', message: problem }])
})

test('a crash of a serving pod is a line, not the end', () => {
  const crashed = pod({
    ...READY,
    containerStatuses: [
      container({ ready: true, restartCount: 1, state: { running: {} }, lastState: { terminated: { exitCode: 3 } } }),
    ],
  })
  const { failure, lines } = read([crashed])
  expect(failure).toBeUndefined()
  expect(lines).toMatchObject([{ level: 'ERROR', message: 'The agent server exited: exit code 3.' }])
})

test('an init container that did its work is no news; a volume that cannot be mounted is', () => {
  const starting = pod({
    initContainerStatuses: [container({ name: 'build', state: { terminated: { exitCode: 0 } } })],
  })
  expect(read([starting]).lines).toEqual([])
  const event = { reason: 'FailedMount', message: 'configmap "c" not found', involvedObject: { name: 'agent-x-1' } }
  expect(read([starting], deployment(), [event]).problem).toBe(
    'A volume of pod agent-x-1 cannot be mounted: configmap "c" not found.',
  )
})

test('an eviction is the problem until a pod is ready in its place; a volume until its pod is ready', () => {
  const at = (minute: number) => new Date(NOW + minute * 60_000).toISOString()
  const since = (status: string, minute: number) => [{ type: 'Ready', status, lastTransitionTime: at(minute) }]
  const evicted = pod({ phase: 'Failed', reason: 'Evicted', message: 'Low on memory.', conditions: since('False', 2) })
  const other = { name: 'other', uid: 'u2' }
  const another = pod({ phase: 'Running', conditions: since('True', 1) }, other)
  const inPlace = pod({ phase: 'Running', conditions: since('True', 3) }, other)
  expect(read([evicted, another], deployment([], 2)).problem).toContain('was evicted')
  expect(read([evicted, inPlace])).toEqual({ ready: 1, wanted: 1, lines: [] })
  const event = { reason: 'FailedMount', message: 'no', involvedObject: other }
  const starting = pod({ phase: 'Pending' }, other)
  expect(read([starting], deployment(), [event]).problem).toContain('cannot be mounted')
  expect(read([inPlace], deployment(), [event])).toEqual({ ready: 1, wanted: 1, lines: [] })
})

test('what a node did not take is told', () => {
  const refused = pod({ phase: 'Failed', reason: 'OutOfcpu', message: 'Node didn’t have enough resource: cpu' })
  expect(read([refused]).problem).toBe('Pod agent-x-1 failed. Node didn’t have enough resource: cpu.')
})

test('the end of a pod that is being deleted is no crash, unless it was killed', () => {
  const ending = (exitCode: number, reason?: string) =>
    pod(
      { containerStatuses: [container({ state: { terminated: { exitCode, reason } } })] },
      { deletionTimestamp: new Date(NOW) },
    )
  expect([...read([ending(0)]).lines, ...read([ending(143)]).lines]).toEqual([])
  expect(read([ending(137)]).lines).toMatchObject([{ message: 'The agent server exited: killed by signal 9.' }])
  // A node says so when it finds no container any more, as after its pod was removed in a hurry.
  expect(read([ending(137, 'ContainerStatusUnknown')]).lines).toEqual([])
  const lost = pod({
    containerStatuses: [container({ state: { terminated: { exitCode: 137, reason: 'ContainerStatusUnknown' } } })],
  })
  expect(read([lost]).lines).toMatchObject([{ message: 'The agent server exited: the node has lost it.' }])
})
