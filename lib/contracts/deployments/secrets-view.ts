import type { LastSeen } from '@/lib/edit'

/** A deployment's secrets as a browser gets them: names and keyed fingerprints, never a value. */
export type SecretsView = {
  rows: SecretRow[]
  /** What an edit sends back; null for those who may not edit. */
  seen: LastSeen | null
  source: string
  /** False: the server does not say which secrets there are. */
  isListed: boolean
  /** Only administrators see the names in this workspace, and the reader is none. */
  isWithheld: boolean
  /** Set from this console and not removed from it, yet not in the list: removed elsewhere, or the server's list is not whole. */
  missing: string[]
}

export type SecretRow = {
  name: string
  /** Null: the reader may not compare values, or the server hides this one. */
  fingerprint: string | null
  /** The server does not give the value, so it cannot be sent again with the others. */
  isHidden: boolean
  /** By whom and when it was last changed from this console, as far as its audit trail goes. */
  changed: { who: string; at: string } | null
}
