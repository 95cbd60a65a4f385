import type { LastSeen } from '@/lib/edit'

/** A deployment's resource spec as a page gets it. */
export type ResourceSpecView = {
  /** As JSON text, so that no number is changed on its way; null where none is set. */
  text: string | null
  source: string
  /** What an edit sends back; null for those who may not edit. */
  seen: LastSeen | null
}

/** What came of saving one: it is there, or somebody else changed it first and nothing was sent. `view` is what is there now. */
export type SpecOutcome =
  | { kind: 'saved'; revision: string | null; note?: string; view: ResourceSpecView | null }
  | { kind: 'conflict'; message: string; view: ResourceSpecView }
