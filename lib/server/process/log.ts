import 'server-only'
import { activeTrace } from './telemetry'

type Fields = Record<string, unknown>
type Level = 'info' | 'warn' | 'error'

const MAX_TEXT = 2000
const SECRET = /pass(word|wd)?$|secret|token$|api_?key|authorization|cookie|bearer|credential/i
// biome-ignore lint/suspicious/noControlCharactersInRegex: removing them is the point
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]+/g

/** Text that cannot fake a log line, move the cursor of a terminal or go on without end. */
export const printable = (text: string): string => {
  const clean = text.replace(CONTROL, ' ')
  return clean.length > MAX_TEXT ? `${clean.slice(0, MAX_TEXT)}…` : clean
}

/** The error's message. A failed query's message contains its parameters, so its cause is used instead. */
function errorText(error: Error): Fields {
  if ('params' in error && 'query' in error)
    return error.cause instanceof Error ? errorText(error.cause) : { message: 'query failed' }
  const code =
    'code' in error && (typeof error.code === 'string' || typeof error.code === 'number') ? { code: error.code } : {}
  const cause = error.cause instanceof Error ? { cause: errorText(error.cause) } : {}
  const stack = error.stack
    ?.split('\n')
    .slice(1, 6)
    .map((line) => line.trim())
  return { name: error.name, message: printable(error.message), ...code, stack, ...cause }
}

function safe(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return printable(value)
  if (typeof value === 'bigint') return String(value)
  if (value instanceof Error) return errorText(value)
  if (value instanceof Date) return value
  if (value === null || typeof value !== 'object') return value
  if (depth > 4) return '…'
  if (Array.isArray(value)) return value.slice(0, 50).map((one) => safe(one, depth + 1))
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [printable(key), SECRET.test(key) ? '[omitted]' : safe(one, depth + 1)]),
  )
}

type Sink = (record: { level: Level; event: string; fields: Fields }) => void
// On globalThis: pages, route handlers and instrumentation each have their own copy of this module.
const shared = globalThis as { pilothouseLogs?: Sink | undefined }

/** Also passes each record, without secrets, to `sink`. */
export function sendLogsTo(sink: Sink | undefined): void {
  shared.pilothouseLogs = sink
}

function write(level: Level, event: string, fields: Fields): void {
  const shown = safe(fields, 0) as Fields
  const line = JSON.stringify({ at: new Date(), level, event, ...activeTrace(), ...shown })
  const stream = level === 'info' ? process.stdout : process.stderr
  stream.write(`${line}\n`)
  shared.pilothouseLogs?.({ level, event, fields: shown })
}

/** One line of JSON per record. Log ids, names, counts and errors; never bodies or secrets. */
export const log = {
  info: (event: string, fields: Fields = {}) => write('info', event, fields),
  warn: (event: string, fields: Fields = {}) => write('warn', event, fields),
  error: (event: string, fields: Fields = {}) => write('error', event, fields),
}
