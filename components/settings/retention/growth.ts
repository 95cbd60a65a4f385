type Used = { days: number; maxBytes: number | null; bytes: number; recentBytes: number; recentDays: number }

export type Growth =
  | { kind: 'unknown' }
  /** The age limit acts first: it levels out at this size. */
  | { kind: 'levels'; bytes: number }
  /** The size limit acts first, in this many days; recordings are then kept for about `keptDays`. */
  | { kind: 'fills'; inDays: number; keptDays: number }

/** Less than this says nothing about a week. */
const LEAST_DAYS = 0.25

/** What becomes of the size if recording goes on as in the last week. */
export function growthOf({ days, maxBytes, bytes, recentBytes, recentDays }: Used): Growth {
  if (recentDays < LEAST_DAYS) return { kind: 'unknown' }
  const perDay = recentBytes / recentDays
  const level = perDay * days
  if (maxBytes === null || level <= maxBytes) return { kind: 'levels', bytes: level }
  return { kind: 'fills', inDays: Math.max(0, (maxBytes - bytes) / perDay), keptDays: maxBytes / perDay }
}
