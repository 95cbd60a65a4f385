import { traceHeaders } from '../kernel/telemetry'

/** Hop-by-hop headers, never forwarded (RFC 9110, 7.6.1). */
const HOP_BY_HOP = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])
/** Set by a gateway that passes a request on to the platform. */
export const RELAYED = 'x-pilothouse-relayed'
/** Headers that only the gateway may set. */
const OURS = new Set(['host', 'expect', 'x-pilothouse-child', 'x-pilothouse-operator', 'x-forwarded-prefix', RELAYED])
/** Ours as well, if the platform knows it: deployments must not learn it. */
const OURS_WITH_KEY = new Set([...OURS, 'x-api-key'])

/** Node's flat list of raw names and values, without hop-by-hop headers and those in `dropped`. */
export function forwardedHeaders(raw: readonly string[], dropped: ReadonlySet<string> = new Set()): string[] {
  const named = new Set<string>()
  for (let i = 0; i < raw.length; i += 2)
    if (raw[i]?.toLowerCase() === 'connection')
      for (const one of (raw[i + 1] ?? '').split(',')) named.add(one.trim().toLowerCase())
  const passed: string[] = []
  for (let i = 0; i < raw.length; i += 2) {
    const [name = '', value = ''] = [raw[i], raw[i + 1]]
    const key = name.toLowerCase()
    if (!HOP_BY_HOP.has(key) && !named.has(key) && !dropped.has(key)) passed.push(name, value)
  }
  return passed
}

/** The request headers to send to the agent server, or to the platform, which checks the key itself. */
export function requestHeaders(
  raw: readonly string[],
  child: { host: string; port: number; secret: string; isPlatform?: boolean | undefined },
  prefix: string,
  isChunked: boolean,
  isOperator: boolean,
): string[] {
  const { traceparent } = traceHeaders()
  const ours = isOperator && !child.isPlatform ? OURS_WITH_KEY : OURS
  const dropped = traceparent ? new Set([...ours, 'traceparent']) : ours
  const headers = [...forwardedHeaders(raw, dropped), 'host', `${child.host}:${child.port}`]
  if (traceparent) headers.push('traceparent', traceparent)
  if (child.isPlatform) headers.push(RELAYED, 'true')
  else headers.push('x-pilothouse-child', child.secret, 'x-forwarded-prefix', prefix)
  if (isOperator && !child.isPlatform) headers.push('x-pilothouse-operator', 'true')
  // For URLs in the agent server's responses; values from a proxy in front take precedence.
  const host = headerOf(raw, 'host')
  if (host !== undefined && headerOf(raw, 'x-forwarded-host') === undefined) headers.push('x-forwarded-host', host)
  // Without this header Node would send no body with a DELETE of unknown length.
  if (isChunked) headers.push('transfer-encoding', 'chunked')
  return headers
}

export function headerOf(raw: readonly string[], name: string): string | undefined {
  for (let i = 0; i < raw.length; i += 2) if (raw[i]?.toLowerCase() === name) return raw[i + 1]
  return undefined
}
