import type { EditSnapshot } from '@/lib/edit'

/** A deployment's resource spec as a page gets it. */
export type ResourceSpecView = {
  /** JSON text, so that no number changes on the way; null if not set. */
  text: string | null
  source: string
  /** Sent back with an edit; null for users who may not edit. */
  snapshot: EditSnapshot | null
}

/** Outcome of a save: done, or someone else changed it first and nothing was sent. `view` is the current spec. */
export type SpecOutcome =
  | { kind: 'saved'; revision: string | null; note?: string; view: ResourceSpecView | null }
  | { kind: 'conflict'; message: string; view: ResourceSpecView }
