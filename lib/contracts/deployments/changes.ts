/** A write to a deployment that was made from this console, as its audit trail has it: names only, never values. */
export type Change = {
  /** Of the audit entry. */
  seq: number
  /** When it was about to be sent, and when its answer was there (null: none yet, or the console stopped in between). ISO times. */
  at: string
  until: string | null
  who: string
  operation: 'createDeployment' | 'updateDeployment' | 'createRevision' | 'redeployRevision' | 'interruptRevision'
  /** The one it was about, where it was about one. */
  revision: string | null
  /** Names of the fields that were sent. */
  fields: string[]
  /** Whether the server said that it was done. */
  isDone: boolean
}
