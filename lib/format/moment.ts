const SPAN = /^(\d{1,4})\s*(m|h|d|w)$/
const MINUTES: Record<string, number> = { m: 1, h: 60, d: 1440, w: 10_080 }

/**
 * A time from a filter: `90m`, `24h`, `7d`, `2w` before `now`, or a date with optional time (UTC). Epoch milliseconds.
 */
export function readMoment(text: string, now: number): number | undefined {
  const [, number, unit] = SPAN.exec(text.trim()) ?? []
  if (number && unit) return now - Number(number) * (MINUTES[unit] ?? 0) * 60_000
  const [, date, time, zone = 'Z'] =
    /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)(Z|[+-]\d\d:?\d\d)?)?$/i.exec(text.trim()) ?? []
  if (!date) return undefined
  const at = Date.parse(`${date}T${time ?? '00:00'}${time ? zone : 'Z'}`)
  return Number.isNaN(at) ? undefined : at
}

/** Whether a filter may have this text; empty is no filter. */
export const isMoment = (text: string): boolean => text.trim() === '' || readMoment(text, 0) !== undefined
