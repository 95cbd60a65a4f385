const UNITS: [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
]
// Always a number: 40 hours ago is one whole day, and yet the day before yesterday.
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'always', style: 'short' })

/** "3 min. ago", "1 day ago", "in 2 hr."; below a minute "just now". Both times in epoch milliseconds. */
export function relativeTime(at: number, now: number): string {
  const seconds = (at - now) / 1000
  const [unit, size] = UNITS.find(([, length]) => Math.abs(seconds) >= length) ?? []
  return unit && size ? relative.format(Math.trunc(seconds / size), unit) : 'just now'
}

/** "340 ms", "4.2 s", "3 m 07 s", "2 h 05 m". */
export function duration(ms: number): string {
  if (ms < 1000) return `${Math.max(0, Math.round(ms))} ms`
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`
  const minutes = Math.floor(ms / 60_000)
  if (minutes < 60) return `${minutes} m ${String(Math.floor((ms % 60_000) / 1000)).padStart(2, '0')} s`
  return `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, '0')} m`
}

/** "812 B", "1.4 kB", "23 MB"; decimal units. */
export function byteSize(bytes: number): string {
  const power = bytes < 1000 ? 0 : Math.min(4, Math.floor(Math.log10(bytes) / 3))
  const value = bytes / 1000 ** power
  return `${power > 0 && value < 10 ? value.toFixed(1) : Math.round(value)} ${['B', 'kB', 'MB', 'GB', 'TB'][power]}`
}

/** Grouped digits: "12,345". */
export const count = (value: number): string => value.toLocaleString('en')

/** An amount in US dollars, with three digits below one. */
export function dollars(amount: number): string {
  if (amount > 0 && amount < 1e-6) return '<$0.000001'
  return amount >= 1 ? `$${amount.toFixed(2)}` : `$${Number(amount.toPrecision(3))}`
}

/** The beginning of a long id or hash, for tables. */
export const shortId = (id: string): string => id.slice(0, 8)

/** The time zone of a schedule without one. */
export const UTC = 'UTC'

/** Placeholder in snippets, which never contain a key. */
export const KEY_VARIABLE = 'AGENT_API_KEY'

/** Quotes a text as one word of a shell command. */
export const shell = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`

/** An idempotency key. Not `randomUUID`, which browsers lack on plain HTTP with any host but localhost. */
export const newRequestKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint32Array(4)), (part) => part.toString(16).padStart(8, '0')).join('-')

/** "0:07", "1:05:00": the length of a recording. */
export function clockTime(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds))
  const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60]
  const pad = (part: number) => String(part).padStart(2, '0')
  return hours > 0 ? `${hours}:${pad(minutes)}:${pad(rest)}` : `${minutes}:${pad(rest)}`
}
