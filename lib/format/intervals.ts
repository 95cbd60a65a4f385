/** The lengths of an interval of a chart, in seconds. */
const STEPS = [1, 5, 15, 60, 300, 900, 1_800, 3_600, 10_800, 43_200, 86_400, 604_800, 2_592_000] as const
const LONGEST = 2_592_000

/** Most intervals of a chart, apart from one more where the span begins within an interval. */
export const MAX_INTERVALS = 60

/** The shortest interval, in seconds, with which a span fits a chart. */
export const intervalFor = (seconds: number): number =>
  STEPS.find((step) => seconds / step <= MAX_INTERVALS) ?? Math.ceil(seconds / MAX_INTERVALS / LONGEST) * LONGEST

/** An interval's start in local time; just the day if it begins with the day and is no shorter, with its year if long. */
export function intervalName(at: number, seconds: number): string {
  const start = new Date(at)
  const isDay = seconds >= 86_400 && start.getHours() === 0 && start.getMinutes() === 0
  return start.toLocaleString('en', {
    month: 'short',
    day: 'numeric',
    ...(seconds >= 604_800 && { year: 'numeric' }),
    ...(!isDay && { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }),
    ...(seconds < 60 && { second: '2-digit' }),
  })
}
