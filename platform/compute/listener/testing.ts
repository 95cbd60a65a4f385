import type { V1Deployment, V1Pod } from '@kubernetes/client-node'
import { StartError } from '../compute'
import type { Cluster, Follower, Manifests } from '../kubernetes/cluster'

/** A cluster in memory whose pods are ready at once. */
export function memoryCluster() {
  const made = new Map<string, V1Deployment>()
  const followers = new Set<{ labels: Record<string, string>; follower: Follower }>()
  const services: string[] = []
  /** Names of deployments whose changes are never answered. */
  const silent = new Set<string>()
  /** Each fails one change, in order; those of services have their own. */
  const errors: Error[] = []
  const serviceErrors: Error[] = []
  const has = (labels: Record<string, string> | undefined, wanted: Record<string, string>) =>
    Object.entries(wanted).every(([key, value]) => labels?.[key] === value)
  const tell = () => {
    for (const { labels, follower } of followers) {
      const deployment = [...made.values()].find(({ metadata }) => has(metadata?.labels, labels))
      const pod = {
        metadata: { name: 'pod-1', uid: 'u', labels: deployment?.metadata?.labels },
        status: { conditions: [{ type: 'Ready', status: 'True' }] },
      } as V1Pod
      follower.onChange({ deployment, pods: deployment ? [pod] : [], events: [] })
    }
  }
  const cluster: Cluster = {
    name: 'memory',
    awaySince: undefined,
    check: async () => [],
    async apply({ owner }: Manifests) {
      const error = errors.shift()
      if (error) throw error
      if (owner.spec?.template.spec?.containers[0]?.image === 'refused:1') throw new StartError('The cluster says no.')
      if (silent.has(owner.metadata?.name ?? '')) return await new Promise(() => {})
      made.set(owner.metadata?.name ?? '', { ...owner, spec: { ...owner.spec, replicas: 1 } } as V1Deployment)
      tell()
    },
    pointService: async ({ metadata, spec }) => {
      const error = serviceErrors.shift()
      if (error) throw error
      services.push(`${metadata?.name} ${spec?.selector?.['pilothouse.dev/revision']}`)
    },
    async remove(_namespace, labels) {
      for (const [name, { metadata }] of made) if (has(metadata?.labels, labels)) made.delete(name)
    },
    valuesOf: async (_namespaces, labels, label) =>
      [...made.values()].flatMap(({ metadata }) =>
        has(metadata?.labels, labels) ? (metadata?.labels?.[label] ?? []) : [],
      ),
    follow(_namespace, labels, _since, follower) {
      const one = { labels, follower }
      followers.add(one)
      queueMicrotask(tell)
      return () => followers.delete(one)
    },
    close: async () => {},
  }
  const say = (text: string) => {
    for (const { follower } of followers)
      follower.onLine({ pod: 'pod-1', container: 'agent', time: new Date().toISOString(), text })
  }
  /** Refuses to create pods from now on. */
  const refusePods = (message: string) => {
    for (const deployment of made.values())
      deployment.status = { conditions: [{ type: 'ReplicaFailure', status: 'True', message }] }
    tell()
  }
  return { cluster, made, services, silent, errors, serviceErrors, say, refusePods }
}
