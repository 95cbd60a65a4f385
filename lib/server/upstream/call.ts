import 'server-only'
import type { AnyInput, InputOf, Operation, OutputOf } from '@/lib/contracts/wire/api'
import { AppError } from '@/lib/errors'
import { withAudit } from '../audit/trail'
import { agentServerOf, forgetAgentAddress } from './agent-address'
import { authorize, type CallContext, type CallOptions, entryOf, type Place } from './call-context'
import { controlPlaneDestination, type Destination, tracesDestination } from './destination'
import { answerDirectly } from './direct-control-plane'
import { type Exchanged, type ExchangeOptions, exchange, exchangeStream, type Prepared, prepare } from './exchange'
import { noteMissing } from './missing-features'
import { visibleTo } from './secret-names'
import { exchangeTraces } from './traces-exchange'

// The one door to every upstream. Its order never varies: who, role, input, intent, fetch, answer, outcome.

export type CallInput<Op extends Operation> = Place & InputOf<Op>
export type OpenStream = { headers: Headers; body: ReadableStream<Uint8Array> }

/** Runs an operation as the session's user, or as `actor`. Throws AppError for everything that can go wrong. */
export async function call<Op extends Operation>(
  op: Op,
  input: CallInput<Op>,
  options: CallOptions = {},
): Promise<OutputOf<Op>> {
  return (await callAny(op, input as Place & AnyInput, options)) as OutputOf<Op> // the output of this row's response schema
}

/** As `call`, for an operation that the compiler does not know. */
export function callAny(op: Operation, input: Place & AnyInput, options: CallOptions = {}): Promise<unknown> {
  if (op.answer === 'stream') throw new TypeError(`${op.id} answers with a stream; use openStream.`)
  return perform(op, input, options, op.api === 'traces' ? exchangeTraces : exchange)
}

/**
 * Opens an operation that answers with server-sent events. The body ends with the upstream's, or when `signal` aborts.
 * Its bytes are the upstream's own: anyone who shows them redacts the events (`redactedStream`, `redactEventText`).
 */
export async function openStream<Op extends Operation>(
  op: Op,
  input: CallInput<Op>,
  options: CallOptions & { lastEventId?: string } = {},
): Promise<OpenStream> {
  return openAnyStream(op, input as Place & AnyInput, options)
}

export async function openAnyStream(
  op: Operation,
  input: Place & AnyInput,
  options: CallOptions & { lastEventId?: string } = {},
): Promise<OpenStream> {
  if (op.answer !== 'stream') throw new TypeError(`${op.id} does not answer with a stream; use call.`)
  return perform(op, input, options, async (...asked) => {
    const { status, value } = await exchangeStream(...asked)
    return { status, value: { headers: keptHeaders(value.headers), body: value.body } }
  })
}

/**
 * As `call`, where one operation is a conversation of several requests: `send` has it, with the server that it is given. What
 * is sent and heard on the way is its own affair; rights, audit and failures are those of one call.
 */
export const converse = <Op extends Operation>(
  op: Op,
  input: CallInput<Op>,
  options: CallOptions,
  send: Send<void>,
): Promise<void> => perform(op, input as Place & AnyInput, options, send)

/** What of an upstream's headers is worth passing on: where the run is, and how to come back to it. */
const keptHeaders = (headers: { get(name: string): string | null }) =>
  new Headers(
    ['content-type', 'content-location', 'location'].flatMap((name) => {
      const value = headers.get(name)
      return value === null ? [] : [[name, value] as [string, string]]
    }),
  )

export type Send<T> = (
  op: Operation,
  to: Destination,
  prepared: Prepared,
  options: ExchangeOptions,
) => Promise<Exchanged<T>>

async function perform<T>(
  op: Operation,
  input: Place & AnyInput,
  options: CallOptions & { lastEventId?: string },
  send: Send<T>,
): Promise<T> {
  const context = await authorize(op, input, options.actor)
  const { signal, timeoutMs, lastEventId, asText } = options
  const { requestId, workspace } = context
  try {
    const prepared = prepare(op, input)
    // What `T` is without a stream; no row of the control plane has one.
    if (workspace.kind === 'direct' && op.api === 'control-plane')
      return (await answerDirectly(op, workspace, input.params ?? {}, prepared.query)) as T
    const exchangeOptions = { workspace, requestId, signal, timeoutMs, lastEventId, asText }
    const work = async () =>
      send(op, await destinationOf(op, input, context, exchangeOptions), prepared, exchangeOptions)
    const value =
      op.effect === 'read' ? (await work()).value : await withAudit({ ...context, ...entryOf(op, input) }, work)
    return visibleTo(context, op, value)
  } catch (error) {
    if (error instanceof AppError) {
      error.view.requestId ||= requestId
      noteMissing(input, op, error)
    }
    // Whatever else failed, the address may be why; looking it up again is cheap. Who no longer waits says nothing of it.
    if (input.deployment && !signal?.aborted) forgetAgentAddress(workspace.slug, input.deployment)
    throw error
  }
}

function destinationOf(
  op: Operation,
  input: Place,
  { workspace }: CallContext,
  options: ExchangeOptions,
): Promise<Destination> | Destination {
  if (op.api === 'control-plane') return controlPlaneDestination(workspace)
  if (op.api === 'traces') return tracesDestination(workspace)
  if (!input.deployment) throw new AppError('invalid', `${op.id} needs the deployment whose agent server is asked.`)
  return agentServerOf(workspace, input.deployment, options)
}
