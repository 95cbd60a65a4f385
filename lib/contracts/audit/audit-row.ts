import type { Role } from '../wire/api'
import type { AuditFacts, AuditOutcome } from './sentence'

/** What entries are about: the workspace, or none. */
export const AUDIT_ABOUT = { workspace: 'This workspace', console: 'Accounts and the console' }
export type AuditAbout = keyof typeof AUDIT_ABOUT

/** An action or a denied attempt: the entries of its intent and its outcome in one row. */
export type AuditRow = AuditFacts & {
  /** The number of its first entry in the trail. */
  seq: number
  /** `*` for what concerns no workspace. */
  workspace: string
  at: string
  /** When its outcome was recorded. */
  endedAt: string | null
  /** E-mail address, or the name of a part of the console. */
  actor: string
  role: Role | null
  outcome: AuditOutcome
  /** The recorded outcome: "200 done", "409 conflict"; for a denial the missing role. */
  said: string | null
  upstreamStatus: number | null
  requestId: string
}

export type AuditRowsPage = {
  /** Newest first. */
  rows: AuditRow[]
  /** `before` of the next page; null at the end. */
  next: number | null
  /** Whether the reader may see what concerns no workspace. */
  hasConsole: boolean
  /** Names of the deployments and accounts that the rows act on, by id, as far as they are known. */
  names: { deployments: Record<string, string>; accounts: Record<string, string> }
}

/** A change that every member may read. */
export type RecentChange = Pick<AuditRow, 'seq' | 'at' | 'actor' | 'operation' | 'params' | 'fields' | 'outcome'>

export type RecentChanges = { rows: RecentChange[]; names: AuditRowsPage['names'] }

/** Why a deployment's revision failed, as far as its logs and this console's audit trail tell. */
export type FailureCause = {
  /** Why, by its build log or else its deploy log, with the command that failed if the log names it: one line. */
  error: string | null
  /** The last change to the deployment before the revision. */
  change: RecentChange | null
  /** What was built: the commit, with what git says of it where the control plane records that. */
  commit: { sha: string; subject: string | null; author: string | null } | null
}
