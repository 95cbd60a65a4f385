import type { Agent } from 'node:http'
import type { Problem } from '@/lib/contracts/deployments/deployment-rules'
import type { DeploymentCreate, DeploymentPatch } from '@/lib/contracts/deployments/deployments'
import type { DeploymentRow, RevisionRow } from '../kernel/schema'

/** A reason that belongs in the deploy log as it stands. */
export class StartError extends Error {
  override name = 'StartError'
}

/** A revision and what of its deployment a compute needs. */
export type Subject = { deployment: Pick<DeploymentRow, 'id' | 'name' | 'number'>; revision: RevisionRow }

export type ServersStatus = {
  /** Replicas that can serve now, and how many there should be. */
  ready: number
  wanted: number
  /** What keeps it from serving fully, in plain words. */
  problem?: string | undefined
  /** When the problem began. */
  since?: Date | undefined
}

/** The address and state of a revision's servers. `openRequests` is kept by the gateway and read while draining. */
export type Servers = {
  /** For log lines, such as `process 17`. */
  readonly name: string
  readonly host: string
  /** Where several processes take turns, each reading is the next one. */
  readonly port: number
  /** Those of all processes. */
  readonly ports?: readonly number[]
  /** Called when `ports` or `authenticates` change. */
  onChange?: () => void
  /** Whether they cannot live without the platform. */
  readonly endsWithPlatform?: boolean
  /** Whether they are reached by https, and below which path. */
  readonly isSecure?: boolean
  readonly prefix?: string
  /** Makes the connections to them where this machine cannot reach that address itself. */
  readonly agent?: Agent
  /** Required in a header of every request, so that only the gateway is answered. */
  readonly secret: string
  /** Whether the deployment's own code authenticates callers, so that they need no key of the platform. False until it is known. */
  readonly authenticates: boolean
  openRequests: number
  /** Whether they were retired and no run executes any more. */
  readonly isIdle: boolean
  readonly status: ServersStatus
  /** Resolves with a description of how they ended. A compute that restarts servers itself only reports their removal. */
  readonly ended: Promise<string>
  isRunning(): boolean
  /**
   * Directs traffic to these servers where it does not come through the gateway, as soon as that is possible. Nothing to do
   * for a process.
   */
  receive(signal: AbortSignal): Promise<void>
  /** Tells them to claim no new runs; they still answer requests. */
  retire(): void
  /** Ends them, after at most `graceMs` for the work in progress. */
  stop(graceMs: number): Promise<void>
  /** The platform ends: releases them, or stops them if they cannot live without it. */
  release(graceMs: number): Promise<void>
}

/** Where agent servers run. Ordering and statuses are up to the roll-out; logs go to the revision's log by themselves. */
export type Compute = {
  readonly type: 'process' | 'k8s'
  /** What nothing has been heard of, and since when; null if it never came. Undefined while all answer. */
  readonly away?: { who: 'listener' | 'cluster'; since: Date | null } | undefined
  /** What of a request this compute cannot honour, beyond what the request's schema refuses. */
  problems(body: DeploymentCreate | DeploymentPatch): Problem[]
  /** What the place itself would refuse, as far as it can be asked now. */
  examine?(body: DeploymentCreate | DeploymentPatch): Promise<Problem[]>
  /** Whether the revision needs a build before it is started. */
  needsBuild(subject: Subject): Promise<boolean>
  /** Builds the revision and records its commit. Throws a BuildError. */
  build(subject: Subject, signal: AbortSignal): Promise<RevisionRow>
  /**
   * Starts a revision's servers beside those that serve, and resolves once they passed their checks. Throws a StartError
   * and then leaves nothing behind.
   */
  start(subject: Subject, signal: AbortSignal): Promise<Servers>
  /** The servers of a revision that served before: found again if they still run, else started again. */
  resume(deploymentId: string, revisionId: string, signal: AbortSignal): Promise<Servers>
  /** Ends what still runs of other revisions than the one that serves, and removes what is stored of all but these. */
  prune(deploymentId: string, serving: string, kept: ReadonlySet<string>): Promise<void>
  /** Removes everything that belongs to a deployment; forced, without waiting for a place that does not answer. */
  remove(deploymentId: string, how: { isForced: boolean }): Promise<void>
  /** Removes what belongs to deployments that are gone, at the platform's start. */
  cleanUp(known: ReadonlySet<string>): Promise<void>
  /** The platform ends. */
  close(): Promise<void>
}

/** The compute of each deployment. */
export type Computes = {
  of(source: Pick<DeploymentRow, 'source' | 'sourceConfig'>): Compute
  all(): Compute[]
}
