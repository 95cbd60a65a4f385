import { isContainer } from '@/lib/json/guards'
import { parseJson, printJson, setOwn } from '../../json/lossless'
import { AUTH_KEY } from './dialect'
import { userDataOf } from './stream-modes'

/**
 * Removes request credentials that servers echo: headers and auth objects end up in `config.configurable`, in
 * `metadata` and in `kwargs.config`. Only such places are touched; user data is passed on by reference.
 */

/** Replaces what was removed. Never send it upstream: see `holdsRedacted`. */
export const REDACTED = '[redacted]'

/** Everything below these keys is checked. */
const PLACES: ReadonlySet<string> = new Set(['configurable', 'metadata', 'config', 'parent_config', 'extra'])
/** Everything below these keys belongs to the user. */
const USER_DATA: ReadonlySet<string> = new Set([
  ...['values', 'input', 'output', 'inputs', 'outputs', 'value', 'update', 'result', 'resume', 'context', 'data'],
  ...['command', 'supersteps', 'messages', 'writes', 'extracted', 'events', 'serialized', 'response_schema', 'chunk'],
  ...['input_schema', 'output_schema', 'state_schema', 'config_schema', 'context_schema', 'filter'],
])

const HEADERS = /^(proxy-)?authorization$|^(set-)?cookie2?$|^x-.*(key|token|secret|auth|signature|password|credential)/
const SECRETS =
  /(^|-)(token|secrets?|password|passwd|passphrase|credentials?|bearer|cookies?|authorization|auth-?user)$|(^|-)jwt(-|$)|(^|-)(api|access|private|signing|secret|service|session|subscription|encryption|auth)-?keys?$/
/** A value that is recognisably a credential, whatever its key. */
const CREDENTIAL =
  /^[Bb]earer\s+\S{6,}$|^Basic\s+(?=\S*[\dA-Z=])[\w+/]{8,}={0,2}$|^lsv2_(pt|sk)_|^eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*$/

/** The same within a longer text. */
const CREDENTIAL_WITHIN = /[Bb]earer\s+[\w.~+/=-]{6,}|lsv2_(?:pt|sk)_[\w-]+|eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*/g

/** Whether the value of a key must never be shown. `X_Api_Key`, `x-api-key` and `xApiKey` are the same key. */
export function isSecretKey(key: string): boolean {
  if (AUTH_KEY.test(key.toLowerCase())) return true
  const name = key
    .replace(/([a-z0-9])([A-Z])|([A-Z])(?=[A-Z][a-z])/g, (_, end, start, capital) =>
      capital ? `${capital}-` : `${end}-${start}`,
    )
    .replaceAll('_', '-')
    .toLowerCase()
  return HEADERS.test(name) || SECRETS.test(name)
}

type Job = { from: object; to: object; isPlace: boolean }
type Result = { value: unknown; removed: number }

/** A record, or a list of records, without echoed credentials. Copies what it walks. */
export const redact = (value: unknown): unknown => walk(value, false).value

/** Redacts an object that is itself such a place: message metadata, a configuration. */
export const redactPlace = (value: unknown): unknown => walk(value, true).value

// Iterative, because a response may be nested deeper than the stack.
function walk(root: unknown, isPlace: boolean, redactText = (text: string) => text): Result {
  const jobs: Job[] = []
  let removed = 0
  const replace = () => {
    removed++
    return REDACTED
  }
  const copy = (item: unknown, inPlace: boolean): unknown => {
    if (typeof item === 'string') {
      if (inPlace && CREDENTIAL.test(item)) return replace()
      const text = redactText(item)
      if (text !== item) removed++
      return text
    }
    if (!isContainer(item)) return item
    const to = Array.isArray(item) ? [] : {}
    jobs.push({ from: item, to, isPlace: inPlace })
    return to
  }
  const value = copy(root, isPlace)
  for (let job = jobs.pop(); job; job = jobs.pop()) {
    const { from, to } = job
    if (Array.isArray(from)) {
      for (const item of from) (to as unknown[]).push(copy(item, job.isPlace))
      continue
    }
    for (const [key, item] of Object.entries(from)) setOwn(to, key, redacted(key, item, job.isPlace))
  }
  return { value, removed }

  function redacted(key: string, item: unknown, inPlace: boolean): unknown {
    // Outside of a place the record's own keys are known, but a server's auth objects are secret everywhere.
    const isSecret = inPlace ? isSecretKey(key) : AUTH_KEY.test(key)
    if (isSecret) return item === null ? null : replace()
    if (!inPlace && USER_DATA.has(key)) return item
    return copy(item, inPlace || PLACES.has(key))
  }
}

/** Data of a stream event without echoed credentials. `event` is the full event name with namespace. */
export const redactEvent = (event: string, data: unknown): unknown => walkEvent(event, data).value

function walkEvent(event: string, data: unknown): Result {
  const userData = userDataOf(nameOf(event))
  if (userData === 'all') return { value: data, removed: 0 }
  if (userData === 'first' && Array.isArray(data)) {
    const [message, ...metadata] = data
    const { value, removed } = walk(metadata, true)
    return { value: [message, ...(value as unknown[])], removed }
  }
  return walk(data, false)
}
function nameOf(event: string): string {
  const bar = event.indexOf('|')
  return bar === -1 ? event : event.slice(0, bar)
}

/** Text without a match has nothing to redact, which is true of most events. An escaped letter may hide any of it. */
const SUSPECT =
  /auth|cookie|key|token(?!s)|secret|passw|passphrase|credential|signature|bearer|basic|jwt|lsv2_|eyJ|\\u00/i

/** Like `redactEvent`, over the event's raw text. Returns the same text unless something was removed. */
export function redactEventText(event: string, text: string): string {
  if (userDataOf(nameOf(event)) === 'all' || !SUSPECT.test(text)) return text
  let data: unknown
  try {
    data = parseJson(text)
  } catch {
    // Text that is not JSON has no places.
    return text
  }
  const { value, removed } = walkEvent(event, data)
  return removed === 0 ? text : printJson(value)
}

/**
 * A text without credentials in the user's data either, for readers without an account: those of JSON by their keys, also of
 * JSON in its texts such as the arguments of a tool call, and others by their form.
 */
export function redactAllText(text: string): string {
  if (!SUSPECT.test(text)) return text
  let data: unknown
  try {
    data = parseJson(text)
  } catch {
    return text.replace(CREDENTIAL_WITHIN, REDACTED)
  }
  const { value, removed } = walk(data, true, redactAllText)
  return removed === 0 ? text : printJson(value)
}

/** Whether something in the value was redacted. Sending it upstream would overwrite the real value. */
export function holdsRedacted(value: unknown): boolean {
  const jobs: unknown[] = [value]
  for (let job = jobs.pop(); job !== undefined; job = jobs.pop()) {
    if (job === REDACTED) return true
    if (isContainer(job)) jobs.push(...(Array.isArray(job) ? job : Object.values(job)).map((item) => item ?? null))
  }
  return false
}
