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
