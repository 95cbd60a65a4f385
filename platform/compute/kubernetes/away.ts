import { setTimeout as sleep } from 'node:timers/promises'
import { StartError } from '../compute'
import type { Cluster, Manifests } from './cluster'
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

/** Creates or changes objects, as soon as the cluster can. Throws a StartError if it refuses them. */
export async function applyWhenBack(
  cluster: Cluster,
  manifests: Manifests,
  signal: AbortSignal,
  warn: (message: string) => void,
): Promise<void> {
  for (let told = ''; ; ) {
    try {
      return await cluster.apply(manifests, signal)
    } catch (error) {
      if (error instanceof StartError || signal.aborted) throw error
      const { message } = error as Error
      if (message !== told)
        warn(`Cluster ${cluster.name} takes no changes now: ${sentence(message)} The roll-out waits for it.`)
      told = message
    }
    await sleep(AGAIN_MS, undefined, { signal }).catch(() => {})
    signal.throwIfAborted()
  }
}
