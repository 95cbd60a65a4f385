import { setTimeout as sleep } from 'node:timers/promises'
import type { V1Service } from '@kubernetes/client-node'
import { StartError } from '../compute'
import type { Cluster } from './cluster'
import { sentence } from './pod-status'

const LOOK_MS = 2000
const AGAIN_MS = 1000

export const awayText = ({ name, awaySince }: Cluster) =>
  `Cluster ${name} has not answered since ${awaySince?.toISOString()}.`

/** Tells in the deploy log since when a cluster is away, and when it is back. Its pods go on meanwhile. */
export function watchAway(cluster: Cluster, say: (message: string) => void): () => void {
  let wasAway = cluster.awaySince !== undefined
  const timer = setInterval(() => {
    const isAway = cluster.awaySince !== undefined
    if (isAway !== wasAway)
      say(
        isAway ? `${awayText(cluster)} Its pods are out of sight meanwhile.` : `Cluster ${cluster.name} answers again.`,
      )
    wasAway = isAway
  }, LOOK_MS).unref()
  return () => clearInterval(timer)
}

/** Makes a change as soon as the cluster takes it. Throws a StartError if it refuses it. `warn` gets each new problem. */
export async function whenBack(
  { name }: Cluster,
  change: () => Promise<void>,
  signal: AbortSignal,
  warn: (problem: string) => void,
): Promise<void> {
  for (let told = ''; ; ) {
    try {
      return await change()
    } catch (error) {
      if (error instanceof StartError || signal.aborted) throw error
      const { message } = error as Error
      if (message !== told) warn(`Cluster ${name} takes no changes now: ${sentence(message)}`)
      told = message
    }
    await sleep(AGAIN_MS, undefined, { signal }).catch(() => {})
    signal.throwIfAborted()
  }
}

/** The services that lead to the revision of a deployment that serves. */
export class StableServices {
  readonly #last = new Map<string, { end: AbortController; done: Promise<void> }>()

  constructor(private readonly cluster: Cluster) {}

  /** Points one as soon as the cluster can. A later call for the deployment ends this one, so that it cannot undo that. */
  point(deploymentId: string, service: V1Service, signal: AbortSignal, warn: (message: string) => void): Promise<void> {
    const before = this.#last.get(deploymentId)
    before?.end.abort(new Error('Its service leads to other servers now.'))
    const end = new AbortController()
    const either = AbortSignal.any([signal, end.signal])
    const done = (async () => {
      await before?.done.catch(() => {})
      const work = () => this.cluster.pointService(service, either)
      await whenBack(this.cluster, work, either, (problem) =>
        warn(`${problem} The service of the deployment waits for it.`),
      )
    })()
    const own = { end, done }
    this.#last.set(deploymentId, own)
    const isReplaced = () => end.signal.aborted && !signal.aborted
    return done
      .catch((error: unknown) => {
        if (!isReplaced()) throw error
      })
      .finally(() => {
        if (this.#last.get(deploymentId) === own) this.#last.delete(deploymentId)
      })
  }
}
