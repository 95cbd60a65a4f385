import 'server-only'
import { ProtocolAsk } from '@/lib/contracts/agents/protocol-request'
import type { WireEntry } from '@/lib/contracts/wire/exchange'
import type { OperationPlace } from '@/lib/contracts/wire/places'
import { type Actor, sessionActor } from '../access/actor'
import { errorView, parseInput } from '../process/result'
import { shutdownSignal } from '../process/shutdown'
import { joinSignals } from '../process/signals'
import { errorResponse, PRIVATE_HEADERS, readBody, refuseForeignSite } from '../relay/relay'
import { BODY_LIMITS } from '../transport/body-limits'
import { converseA2a } from './a2a'
import { converseMcp } from './mcp'
import { type Tell, watch } from './wire'

/** Proxies close connections that stay silent for long. */
const MAX_SILENCE_MS = 15_000

/**
 * Sends a protocol request to an agent server and streams the exchange as lines of JSON. Not a server action, because
 * those cannot be watched or cancelled.
 */
export async function serveProtocol(
  request: Request,
  place: Required<OperationPlace>,
  { maxSilenceMs = MAX_SILENCE_MS } = {},
): Promise<Response> {
  try {
    refuseForeignSite(request)
    const actor = await sessionActor() // before the body is read: strangers learn nothing from its errors
    const ask = parseInput(ProtocolAsk, await readBody(request, BODY_LIMITS.protocols))
    const signals = joinSignals(request.signal, shutdownSignal())
    const encoder = new TextEncoder()
    let isHeard = true
    const body = new ReadableStream<Uint8Array>({
      async start(controller) {
        const tell = (entry: WireEntry) => {
          if (isHeard) controller.enqueue(encoder.encode(`${JSON.stringify(entry)}\n`))
        }
        const alive = setInterval(() => isHeard && controller.enqueue(encoder.encode('\n')), maxSilenceMs)
        await speak(place, ask, { actor, signal: signals.signal }, tell)
        clearInterval(alive)
        signals.release()
        if (isHeard) controller.close()
      },
      cancel() {
        isHeard = false
        signals.abort()
      },
    })
    const headers = { ...PRIVATE_HEADERS, 'content-type': 'application/x-ndjson; charset=utf-8' }
    return new Response(body, { headers: { ...headers, 'x-accel-buffering': 'no' } })
  } catch (error) {
    return errorResponse(error)
  }
}

/** The lines of `serveProtocol`. A failure is the last entry and never thrown. */
export async function speak(
  place: Required<OperationPlace>,
  ask: ProtocolAsk,
  options: { actor: Actor; signal: AbortSignal },
  tell: Tell,
): Promise<void> {
  const timed = watch(tell)
  try {
    if (ask.protocol === 'a2a') await converseA2a(place, ask, options, timed)
    else await converseMcp(place, ask, options, timed)
  } catch (error) {
    if (!options.signal.aborted) timed({ kind: 'failed', error: errorView(error) })
  }
}
