/** What became of one of several deployments that were to be deleted. */
export type BulkResult = {
  id: string
  /** `deleting`: taken, its resources are being removed. `unknown`: it was sent, and what came of it could not be read. */
  outcome: 'deleted' | 'deleting' | 'failed' | 'unknown'
  /** Why, where it failed or is not known. */
  reason?: string
}

/** Deployments deleted at once, at most. */
export const MAX_BULK = 500

/** Threads that are answered at once, at most. */
export const MAX_ANSWERED = 50

/** What became of one of several threads that were answered together. */
export type AnsweredThread = {
  /** Deployment and thread, as `${deployment} ${thread}`. */
  id: string
  /** `passed`: it does not ask this any more, so nothing was sent. `unknown`: it was sent, and what came of it could not be read. */
  outcome: 'answered' | 'passed' | 'failed' | 'unknown'
  reason?: string
  /** The recording of the run that went on. */
  run?: string
}
