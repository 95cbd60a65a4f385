import { byteSize, count } from '@/lib/format/format'

/** `days`: null keeps it for good. */
type Used = { days: number | null; maxBytes: number | null; bytes: number; recentBytes: number; recentDays: number }

export type Growth =
  | { kind: 'unknown' }
  /** No limit acts: it grows by this a day. */
  | { kind: 'grows'; perDay: number }
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
  if (days === null && (maxBytes === null || perDay === 0)) return { kind: 'grows', perDay }
  const level = days === null ? Number.POSITIVE_INFINITY : perDay * days
  if (maxBytes === null || level <= maxBytes) return { kind: 'levels', bytes: level }
  return { kind: 'fills', inDays: Math.max(0, (maxBytes - bytes) / perDay), keptDays: maxBytes / perDay }
}

/** The same in words. */
export function growthText(growth: Growth, days: number | null): string {
  if (growth.kind === 'unknown') return 'Unknown until there are 6 hours of data'
  if (growth.kind === 'grows') return `≈ ${byteSize(growth.perDay)} more a day, without a limit`
  if (growth.kind === 'levels')
    return `≈ ${byteSize(growth.bytes)} after ${count(days ?? 0)} days, if it goes on like this`
  const when =
    growth.inDays < 1
      ? 'The size limit is reached within a day'
      : `≈ ${count(Math.round(growth.inDays))} days until the size limit`
  return `${when}; then kept for ≈ ${growth.keptDays < 1 ? 'less than a day' : `${count(Math.round(growth.keptDays))} days`}`
}
