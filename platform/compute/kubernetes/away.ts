import type { Cluster } from './cluster'

const LOOK_MS = 2000

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
