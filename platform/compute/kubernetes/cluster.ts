import type { V1Deployment, V1Job, V1Service } from '@kubernetes/client-node'
import type { ManifestObject, RevisionManifests } from './manifests'
import type { Observation } from './pod-status'

/** A line of a container. */
export type PodLine = {
  pod: string
  container: string
  /** As the cluster gives it, to the nanosecond; orders the lines of a container. */
  time: string
  text: string
}

export type Follower = {
  onChange(observation: Observation): void
  onLine(line: PodLine): void
  /** All lines of a container that has ended were reported. A listener does not tell. */
  onRead?(of: Pick<PodLine, 'pod' | 'container'>): void
}

/** A problem that the cluster itself finds in an object, before it exists. */
export type Refusal = { kind: string; field: string; message: string }

/** Objects that are created together; the owned ones go when their owner goes. */
export type Manifests = { owner: V1Deployment | V1Job; owned: ManifestObject[] }

/** A cluster, whether this program calls its API or a listener does. Every change may be repeated without harm. */
export type Cluster = {
  /** For messages. */
  readonly name: string
  /** Since when it has not been reached; undefined while it is. */
  readonly awaySince: Date | undefined
  /** Whether it is a listener that is away, not the cluster behind it, and whether it ever came. */
  readonly listener?: { isAway: boolean; isNew: boolean }
  /** Asks the cluster what it would refuse, without creating anything. */
  check(manifests: RevisionManifests): Promise<Refusal[]>
  /** Creates or changes objects. Rejects with a StartError that has the cluster's reason. */
  apply(manifests: Manifests, signal: AbortSignal): Promise<void>
  /** Creates a service or points it elsewhere. */
  pointService(service: V1Service, signal: AbortSignal): Promise<void>
  /** Deletes all objects with these labels; resolves when their pods are gone. */
  remove(namespace: string, labels: Record<string, string>, how: { isForced: boolean }): Promise<void>
  /** The values of a label of all deployments and services that have the other labels. */
  valuesOf(namespaces: readonly string[], labels: Record<string, string>, label: string): Promise<string[]>
  /** Reports the state of a revision, or of the Job of the label `job-name`, and its pods' lines, those after `since`, until the returned function is called. */
  follow(namespace: string, labels: Record<string, string>, since: Date | undefined, follower: Follower): () => void
  close(): Promise<void>
}
