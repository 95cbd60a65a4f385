import type { V1Deployment, V1Pod } from '@kubernetes/client-node'
import { expect, test } from 'vitest'
import type { Cluster, Follower } from './cluster'
import type { Observation } from './pod-status'
import { RevisionFollower, untilReady } from './revision-follower'

const pod = (status: object): V1Pod => ({ metadata: { name: 'agent-x-1', uid: 'u1' }, status }) as V1Pod
const ready = pod({ conditions: [{ type: 'Ready', status: 'True' }] })
const deployment = (message?: string): V1Deployment =>
  ({
    spec: { replicas: 1 },
    status: { conditions: message ? [{ type: 'ReplicaFailure', status: 'True', message }] : [] },
  }) as V1Deployment
const overQuota = (name: string) =>
  `pods "${name}" is forbidden: exceeded quota: team, requested: pods=1, used: pods=5, limited: pods=5`
const QUOTA = 'The quota of the namespace does not allow another pod: team, requested: pods=1, used: pods=5'

function follow() {
  const lines: string[] = []
  let follower: Follower | undefined
  const revision = new RevisionFollower({
    append: (_type, _level, message) => lines.push(message),
    onCommit: () => {},
    follow: (one) => {
      follower = one
      return () => {}
    },
  })
  const see = (of: V1Deployment, pods: V1Pod[], more: Partial<Observation> = {}) =>
    follower?.onChange({ deployment: of, pods, events: [], ...more })
  return { revision, lines, see }
}

test('a failure during the roll-out is left to it, and one of a serving revision is a line', () => {
  const { revision, lines, see } = follow()
  see(deployment(overQuota('agent-x-1')), [])
  expect([revision.state.failure, lines]).toEqual([expect.stringContaining(QUOTA), []])
  see(deployment(), [ready])
  revision.isServing = true
  see(deployment(overQuota('agent-x-2')), [])
  // The next attempt is refused alike.
  see(deployment(overQuota('agent-x-3')), [])
  expect(lines).toEqual([expect.stringContaining(QUOTA)])
  see(deployment(), [ready])
  see(deployment(overQuota('agent-x-4')), [])
  expect(lines).toHaveLength(2)
})

test('each exit of a serving pod is told once, however often it crashed before', () => {
  const { revision, lines, see } = follow()
  revision.isServing = true
  const crash = (restartCount: number, finishedAt: string, state: object = {}) =>
    pod({
      containerStatuses: [
        { name: 'agent', restartCount, ready: false, state, lastState: { terminated: { exitCode: 1, finishedAt } } },
      ],
    })
  see(deployment(), [crash(1, '10:00')])
  see(deployment(), [crash(2, '10:05', { waiting: { reason: 'CrashLoopBackOff' } })])
  // The container was started again, and has not exited since.
  see(deployment(), [crash(3, '10:05', { running: {} })])
  expect(lines).toEqual([
    'The agent server exited: exit code 1.',
    'The agent server exited: exit code 1. It was started 3 times.',
  ])
})

test('a scaled revision is ready once it has its minimum, not with the one pod of before its autoscaler’s turn', async () => {
  const { revision, see } = follow()
  const cluster = { awaySince: undefined, name: 'east' } as Cluster
  const ended = new AbortController()
  const isReady = (least: number, readyTimeoutMs = 60_000) =>
    untilReady(revision, { cluster, readyTimeoutMs, least }, ended.signal, () => {})
  const scaled = (replicas: number) => ({ ...deployment(), spec: { replicas } }) as V1Deployment
  see(scaled(1), [ready])
  await isReady(1)
  await expect(isReady(3, 1)).rejects.toThrow('1 of 3 replicas were ready')
  see(scaled(3), [ready, ready])
  await expect(isReady(3, 1)).rejects.toThrow('2 of 3 replicas were ready')
  see(scaled(3), [ready, ready, ready])
  await isReady(3)
})
