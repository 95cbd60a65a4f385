import type { FuzzRequest } from './requests'

// What no answer may be.

export type FuzzAnswer = { status: number; headers: Record<string, unknown>; text: string }

/** Failures of an upstream, which the console passes on with these codes. */
const OF_UPSTREAM = /"code":"(upstream_failed|upstream_unreachable|upstream_refused_key|unsupported|rate_limited)"/

/** What is wrong with an answer; undefined if nothing is. `secrets` must not be in it. */
export function problemOf(
  request: FuzzRequest,
  { status, headers, text }: FuzzAnswer,
  secrets: readonly string[],
): string | undefined {
  const all = JSON.stringify(headers) + text
  const leaked = secrets.findIndex((secret) => all.includes(secret))
  if (leaked >= 0) return `secret number ${leaked} in the answer`
  if (text.includes('"code":"upstream_shape"')) return 'the platform answers with another shape than the contract'
  // An action and a stream answer 200 before they fail.
  if (/"code":"internal"/.test(text)) return 'an internal error'
  if (request.name.startsWith('action ') && /^\d*:E\{/m.test(text)) return 'the action threw'
  if (status < 500) return undefined
  if (request.client === 'console' && OF_UPSTREAM.test(text)) return undefined
  // What the embedded platform cannot do, it says in a sentence.
  if (request.client === 'platform' && status === 501 && text.includes('"detail":"')) return undefined
  // The platform's temporary refusals say when to try again.
  if (status === 503 && headers['retry-after'] !== undefined) return undefined
  return `status ${status}`
}

/** Lines of a program's output that no request may cause. */
export const isBadLine = (line: string): boolean =>
  /unhandled ?rejection|uncaught ?exception|"event":"request\.failed".*"level":"error"|"level":"error"|^ *⨯|failed \(request |Internal Server Error|ERR_[A-Z_]+|^\s+at .+:\d+:\d+/i.test(
    line,
  )
