/** A write to a deployment from the console's audit trail: names only, no values. */
export type Change = {
  /** Sequence number of the audit entry. */
  seq: number
  /** When it was sent, and when its response arrived (null: not yet, or the console stopped in between). ISO times. */
  at: string
  until: string | null
  who: string
  operation: 'createDeployment' | 'updateDeployment' | 'createRevision' | 'redeployRevision' | 'interruptRevision'
  /** The revision it was for, if any. */
  revision: string | null
  /** Names of the fields sent. */
  fields: string[]
  /** Whether the server confirmed it. */
  isDone: boolean
}
