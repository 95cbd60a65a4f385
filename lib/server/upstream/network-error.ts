import 'server-only'
import { classifyAddress } from '@/lib/contracts/wire/address'
import { AppError } from '@/lib/errors'
import { REFUSED_ADDRESS, type RefusedAddress } from './address-guard'

/** No usable response came. `wasSent` is false only if the request certainly never left, so a failed write was not made. */
export class ConnectionError extends AppError {
  constructor(
    message: string,
    readonly isRetryable: boolean,
    readonly wasSent: boolean,
    cause?: unknown,
  ) {
    super('upstream_unreachable', message, { cause })
    this.name = 'ConnectionError'
  }
}

type Known = { why: string; wasSent: boolean; isRetryable: boolean }
const before = (why: string, isRetryable = false): Known => ({ why, wasSent: false, isRetryable })
const after = (why: string, isRetryable = true): Known => ({ why, wasSent: true, isRetryable })

const KNOWN: Record<string, Known> = {
  ECONNREFUSED: before('connection refused', true),
  ENOTFOUND: before('unknown host name'),
  EAI_AGAIN: before('its name could not be looked up', true),
  ENETUNREACH: before('no route to it', true),
  EHOSTUNREACH: before('no route to it', true),
  ETIMEDOUT: before('no connection in time'),
  UND_ERR_CONNECT_TIMEOUT: before('no connection in time'),
  ECONNRESET: after('the connection broke'),
  EPIPE: after('the connection broke'),
  UND_ERR_SOCKET: after('the connection broke'),
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: after('the response was cut off'),
  HPE_HEADER_OVERFLOW: after('its response has too many headers', false),
  UND_ERR_HEADERS_OVERFLOW: after('its response has too many headers', false),
}

/** The first known reason in the chain of causes: undici wraps the socket's error once or twice. */
function reasonOf(error: unknown): Known {
  for (let at = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth++) {
    const code = (at as NodeJS.ErrnoException).code ?? ''
    const known = KNOWN[code]
    if (known) return known
    if (code.startsWith('HPE_') || at.name === 'HTTPParserError') return after('it does not speak HTTP', false)
    if (/CERT|SELF_SIGNED|ERR_TLS|ERR_SSL|UNABLE_TO_/.test(code))
      return before(`its certificate was not accepted: ${code}`)
  }
  return after('the connection failed')
}

/** The error for a failed fetch, in a sentence that names the server. `who` is like 'control plane at http://host'. */
export function connectionError(error: unknown, who: string): AppError {
  for (let at = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth++)
    // Not instanceof: several copies of this module share connections, and each copy has its own class.
    if ((at as Partial<RefusedAddress>).code === REFUSED_ADDRESS)
      return refusedAddress(who, (at as RefusedAddress).address)
  const { why, wasSent, isRetryable } = reasonOf(error)
  return new ConnectionError(`The ${who} cannot be reached (${why}).`, isRetryable, wasSent, error)
}

/** The error for a passed deadline. Not retryable: a retry would only double the wait. */
export const lateError = (who: string, timeoutMs: number) =>
  new ConnectionError(`The ${who} did not respond within ${Math.ceil(timeoutMs / 1000)} seconds.`, false, true)

/** The error for an address that the guard refused; its message says how to allow it. */
function refusedAddress(who: string, address: string): AppError {
  const why =
    classifyAddress(address) === 'public'
      ? 'an address that is not listed has to be https on its usual port'
      : `it is at ${address}, which is not a public address`
  return new AppError(
    'forbidden',
    `This console does not connect to the ${who}: ${why}. An administrator can add its origin to the workspace's allowed origins, or the operator its range to ALLOWED_UPSTREAMS.`,
  )
}
