/** How much of the audit trail is kept. Null: without a limit. */
export type AuditLimits = { days: number | null; maxBytes: number | null }

/** The entries about one workspace, or about none. Times are epoch milliseconds. */
export type AuditUsage = {
  rows: number
  bytes: number
  /** Recorded in the last seven days, or since the first entry if that is less. */
  recentBytes: number
  recentDays: number
  /** Null where there is none. */
  oldest: { seq: number; at: number } | null
}

/** What an administrator of a workspace sees. */
export type AuditKept = {
  /** The limits of the workspace itself; null: those of the console apply. */
  own: AuditLimits
  workspace: AuditPart
  /** Entries about no workspace, with the limits of the console. */
  rest: AuditPart
  /** The trail of all workspaces on disk, with its indexes. */
  trail: { rows: number; bytes: number }
  exportedThrough: number
  exportedAt: string | null
  /** Whether the user may change the limits of the console, and export. */
  mayChange: boolean
}

/** `dueAt`: when the next entries are removed; null if nothing allows that yet. */
export type AuditPart = AuditLimits & AuditUsage & { dueAt: number | null }

const DAY_MS = 86_400_000

export const limitsFor = (
  workspace: string,
  { days, maxBytes, own }: AuditLimits & { own: Record<string, AuditLimits> },
): AuditLimits => ({ days: own[workspace]?.days ?? days, maxBytes: own[workspace]?.maxBytes ?? maxBytes })

/**
 * When the oldest entries are removed; null if they stay because of the limits or because nobody holds them in a file. They
 * leave a day late, so that a day's worth leaves together.
 */
export function dueAt(
  { bytes, oldest }: AuditUsage,
  { days, maxBytes }: AuditLimits,
  exportedThrough: number,
): number | null {
  if (!oldest || oldest.seq > exportedThrough) return null
  if (maxBytes !== null && bytes > maxBytes) return oldest.at
  return days === null ? null : oldest.at + (days + 1) * DAY_MS
}
