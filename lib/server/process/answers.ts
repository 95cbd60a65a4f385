import 'server-only'
import type { OperationPlace } from '@/lib/contracts/wire/places'

// When servers answer, for whatever keeps their failures: those are over then, or when a person wants to try again.

export type Server = Pick<OperationPlace, 'workspace' | 'deploymentId'>
type Known = { counts: Map<string, number>; listeners: Map<string, Set<() => void>> }

const MOST_KEPT = 5_000
// On globalThis, because several copies of this module share it.
const shared = globalThis as unknown as { pilothouseAnswers?: Known }
const known = (): Known => {
  shared.pilothouseAnswers ??= { counts: new Map(), listeners: new Map() }
  return shared.pilothouseAnswers
}
/** A deployment's agent server, or the control plane. */
const keyOf = ({ workspace, deploymentId }: Server) => JSON.stringify([workspace, deploymentId ?? null])
const keyOfAsks = (workspace: string) => JSON.stringify([workspace])

function note(key: string): void {
  const { counts, listeners } = known()
  if (counts.size >= MOST_KEPT) counts.clear()
  counts.set(key, (counts.get(key) ?? 0) + 1)
  for (const listener of [...(listeners.get(key) ?? [])]) listener()
}

export const noteAnswer = (server: Server): void => note(keyOf(server))

/** Ends all failures that are kept of a workspace's servers. */
export const askAgain = (workspace: string): void => note(keyOfAsks(workspace))

/** Tells, of a failure now, whether it is over. */
export function untilAnswer(server: Server): () => boolean {
  const count = (key: string) => known().counts.get(key) ?? 0
  const both = () => count(keyOf(server)) + count(keyOfAsks(server.workspace))
  const before = both()
  return () => both() !== before
}

/**
 * For a read that begins now. Its result tells, of the read's failure, whether that is over: also when someone wanted to try
 * again while it was going on.
 */
export function watchFailure(server: Server): () => () => boolean {
  const asks = () => known().counts.get(keyOfAsks(server.workspace)) ?? 0
  const before = asks()
  return () => {
    const isAnswered = untilAnswer(server)
    return () => asks() !== before || isAnswered()
  }
}

function listen(keys: readonly string[], listener: () => void): () => void {
  const { listeners } = known()
  for (const key of keys) listeners.set(key, (listeners.get(key) ?? new Set()).add(listener))
  return () => {
    for (const key of keys) {
      const own = listeners.get(key)
      if (own?.delete(listener) && own.size === 0) listeners.delete(key)
    }
  }
}

export const onAskAgain = (workspace: string, listener: () => void) => listen([keyOfAsks(workspace)], listener)

/** Also calls the listener when someone wants to try again. */
export const onAnswer = (server: Server, listener: () => void) =>
  listen([keyOf(server), keyOfAsks(server.workspace)], listener)
