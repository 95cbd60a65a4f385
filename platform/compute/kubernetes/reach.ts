import http, { type Agent } from 'node:http'
import https from 'node:https'
import { setTimeout as sleep } from 'node:timers/promises'

const CHECK_MS = 10_000
/** A packet that is lost before a network knows a new pod is sent again late; another connection is not. */
const ATTEMPT_MS = 1000
const AGAIN_MS = 1000
/** Nodes learn a moment later than the cluster that the pods of a service are ready. */
const LEARN_MS = 3000
const LOOK_MS = 200

/** Where the gateway reaches a service of the cluster. */
export type Address = { host: string; port: number; isSecure?: boolean; prefix?: string; agent?: Agent }

/** Whether the deployment's own code authenticates callers, which only the agent server knows. */
export function readAuthenticates(
  { host, port, isSecure, prefix = '', agent, secret }: Address & { secret: string },
  signal: AbortSignal,
  limitMs = CHECK_MS,
): Promise<boolean> {
  const late = AbortSignal.timeout(limitMs)
  return new Promise((resolve, reject) => {
    const request = (isSecure ? https : http).get(
      {
        host,
        port,
        path: `${prefix}/ok`,
        headers: { 'x-pilothouse-child': secret, 'x-pilothouse-operator': 'platform' },
        agent: agent ?? false,
        signal: AbortSignal.any([signal, late]),
      },
      (response) => {
        response.resume()
        if (response.statusCode !== 200) reject(new Error(`GET /ok gave ${response.statusCode}`))
        else resolve(response.headers['x-pilothouse-authenticates'] === 'true')
      },
    )
    request.on('error', (error) =>
      reject(late.aborted && !signal.aborted ? new Error(`no answer within ${limitMs / 1000} s`) : error),
    )
  })
}

/** Asks a service whose pods have just become ready. Rejects with its last answer after `limitMs`. */
export async function readOnceReached(
  servers: Address & { secret: string },
  signal: AbortSignal,
  limitMs = LEARN_MS,
): Promise<boolean> {
  for (const end = Date.now() + limitMs; ; await sleep(LOOK_MS, undefined, { signal })) {
    const isLast = Date.now() >= end
    try {
      return await readAuthenticates(servers, signal, isLast ? CHECK_MS : ATTEMPT_MS)
    } catch (error) {
      if (isLast) throw error
    }
  }
}

/** Asks until there is an answer. Rejects when the signal aborts. */
export async function untilReached(servers: Address & { secret: string }, signal: AbortSignal): Promise<boolean> {
  for (;;) {
    await sleep(AGAIN_MS, undefined, { signal })
    try {
      return await readAuthenticates(servers, signal)
    } catch {
      // Asked again, or aborted.
    }
  }
}
