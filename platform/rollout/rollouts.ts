import type { Servers } from '../compute/compute'
import { DeploymentQueue, type RolloutOptions } from './deployment-queue'

/** The gateway's routing result for a deployment id. */
export type Target = { state: 'up'; child: Servers } | { state: 'down'; isReturning: boolean } | { state: 'unknown' }

/**
 * The queues of active deployments; idle ones exist only in the store. Always knows where to route a request
 * without a query.
 */
export class Rollouts {
  readonly #known = new Set<string>()
  readonly #queues = new Map<string, DeploymentQueue>()
  #isStopping = false

  constructor(private readonly options: RolloutOptions) {}

  /** Resumes where the last platform stopped: deletions, unfinished revisions and serving agent servers. */
  async start(): Promise<void> {
    const { store, computes } = this.options
    for (const id of await store.deploymentIds()) this.#known.add(id)
    for (const compute of computes.all()) await compute.cleanUp(this.#known)
    for (const deployment of await store.deploymentsToResume()) {
      const queue = this.#queueOf(deployment.id)
      if (deployment.status === 'AWAITING_DELETE') {
        queue.remove()
        continue
      }
      const active =
        deployment.activeRevisionId && (await store.findRevision(deployment.id, deployment.activeRevisionId))
      if (active) queue.restore(active)
      queue.wake()
    }
  }

  /** Call after the store got work for a deployment: a new deployment or revision, or a deletion. */
  wake(deploymentId: string, isDeleted = false): void {
    if (this.#isStopping) return
    const queue = this.#queueOf(deploymentId)
    if (isDeleted) queue.remove()
    else queue.wake()
    this.options.gateways?.changed(deploymentId)
  }

  async interrupt(deploymentId: string, revisionId: string): Promise<void> {
    await this.#queueOf(deploymentId).interrupt(revisionId)
    this.wake(deploymentId) // a queue created only for this is removed again
  }

  target(deploymentId: string): Target {
    const queue = this.#queues.get(deploymentId)
    if (!this.#known.has(deploymentId) || queue?.isDeleting) return { state: 'unknown' }
    const child = queue?.supervisor.current
    return child ? { state: 'up', child } : { state: 'down', isReturning: queue?.isKept ?? false }
  }

  /** Stops every process; unfinished work stays in the store. */
  async stop(graceMs: number): Promise<void> {
    this.#isStopping = true
    await Promise.all([...this.#queues.values()].map((queue) => queue.stop(graceMs)))
  }

  #queueOf(deploymentId: string): DeploymentQueue {
    let queue = this.#queues.get(deploymentId)
    if (!queue) {
      queue = new DeploymentQueue(deploymentId, this.options, {
        onIdle: () => this.#queues.delete(deploymentId),
        onGone: () => {
          this.#queues.delete(deploymentId)
          this.#known.delete(deploymentId)
        },
      })
      this.#queues.set(deploymentId, queue)
      this.#known.add(deploymentId)
    }
    return queue
  }
}
