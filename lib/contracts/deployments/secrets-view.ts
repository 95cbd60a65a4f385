import type { EditSnapshot } from '@/lib/edit'

/** A deployment's secrets as a browser gets them: names and keyed fingerprints, never values. */
export type SecretsView = {
  rows: SecretRow[]
  /** Sent back with an edit; null for users who may not edit. */
  snapshot: EditSnapshot | null
  source: string
  /** False: the server does not tell which secrets there are. */
  isListed: boolean
  /** Only admins see the names in this workspace, and the reader is not one. */
  isWithheld: boolean
  /**
   * Set from this console and not removed from it, but not in the list: removed elsewhere, or the server's list is
   * incomplete.
   */
  missing: string[]
}

export type SecretRow = {
  name: string
  /** Null: the reader may not compare values, or the server hides this one. */
  fingerprint: string | null
  /** The server does not send the value, so it cannot be sent back with the others. */
  isHidden: boolean
  /** Who last changed it from this console, and when, as far as the audit trail reaches. */
  changed: { who: string; at: string } | null
}
