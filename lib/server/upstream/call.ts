import 'server-only'
import { agentServer } from '@/lib/contracts/agent-server'
import type { AnyInput, InputOf, Operation, OutputOf } from '@/lib/contracts/wire/api'
import type { OperationPlace } from '@/lib/contracts/wire/places'
import { AppError } from '@/lib/errors'
import { withAudit } from '../audit/trail'
import { noteAnswer } from '../process/answers'
import { agentServerOf, forgetAgentAddress } from './agent-address'
import { authorize, type CallContext, type CallOptions, entryOf } from './call-context'
import { controlPlaneDestination, type Destination, tracesDestination } from './destination'
import { serveDirectly } from './direct-control-plane'
import { type Exchanged, type ExchangeOptions, exchange, exchangeStream, type Prepared, prepare } from './exchange'
import { noteMissing, noteOffered } from './known-features'
import { narrow, withinLimit } from './narrowed'
import { exchangeCron, exchangeSearch, isSearch } from './search-exchange'
import { visibleTo } from './secret-names'
import { exchangeTraces } from './traces-exchange'

// Every request to an upstream goes through here, always in this order: actor, role, input, intent, fetch, response, outcome.

export type CallInput<Op extends Operation> = OperationPlace & InputOf<Op>
/** `ignoresLimit`: the stream may be opened beyond PILOTHOUSE_STREAMS. */
type StreamOptions = CallOptions & { lastEventId?: string; ignoresLimit?: boolean }
export type OpenStream = { headers: Headers; body: ReadableStream<Uint8Array> }

/** Runs an operation as the session's user, or as `actor`. Every failure is an AppError. */
export async function call<Op extends Operation>(
  op: Op,
  input: CallInput<Op>,
  options: CallOptions = {},
): Promise<OutputOf<Op>> {
  return (await callAny(op, input as OperationPlace & AnyInput, options)) as OutputOf<Op> // the output of this row's response schema
}

/** Like `call`, for an operation whose types are not known at compile time. */
export function callAny(op: Operation, input: OperationPlace & AnyInput, options: CallOptions = {}): Promise<unknown> {
  if (op.response === 'stream') throw new TypeError(`${op.id} responds with a stream; use openStream.`)
  return perform(op, input, options, senderOf(op))
}

function senderOf(op: Operation): Send<unknown> {
  if (op.api === 'traces') return exchangeTraces
  if (op.id === agentServer.getCron.id) return exchangeCron
  return isSearch(op) ? exchangeSearch : exchange
}

/**
 * Opens an operation that responds with server-sent events; the body ends with the upstream's, or when `signal` aborts.
 * Its bytes are not redacted: redact the events before you show them (`redactedStream`, `redactEventText`).
 */
export async function openStream<Op extends Operation>(
  op: Op,
  input: CallInput<Op>,
  options: StreamOptions = {},
): Promise<OpenStream> {
  return openAnyStream(op, input as OperationPlace & AnyInput, options)
}

export async function openAnyStream(
  op: Operation,
  input: OperationPlace & AnyInput,
  options: StreamOptions = {},
): Promise<OpenStream> {
  if (op.response !== 'stream') throw new TypeError(`${op.id} does not respond with a stream; use call.`)
  return perform(op, input, options, async (...asked) => {
    const { status, value } = await exchangeStream(...asked)
    return { status, value: { headers: keptHeaders(value.headers), body: value.body } }
  })
}

/**
 * Like `call`, for one operation that takes several requests, which `send` makes to the destination it gets.
 * The role check, the audit entry and the failures are those of a single call.
 */
export const converse = <Op extends Operation>(
  op: Op,
  input: CallInput<Op>,
  options: CallOptions,
  send: Send<void>,
): Promise<void> => perform(op, input as OperationPlace & AnyInput, options, send)

/** The upstream headers that are passed on: content type, where the run is, and how to rejoin it. */
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
  input: OperationPlace & AnyInput,
  options: StreamOptions,
  send: Send<T>,
): Promise<T> {
  const context = await authorize(op, input, options.actor)
  const { signal, timeoutMs, lastEventId, ignoresLimit, asText } = options
  const { requestId, workspace } = context
  try {
    const narrowed = await narrow(op, input, context, callAny)
    const prepared = prepare(op, narrowed)
    // No control-plane row responds with a stream, so `T` is the row's value.
    if (workspace.kind === 'direct' && op.api === 'control-plane')
      return visible(op, context, (await serveDirectly(op, workspace, input.params ?? {}, prepared.query)) as T)
    const exchangeOptions = { workspace, requestId, signal, timeoutMs, lastEventId, ignoresLimit, asText }
    const work = async () =>
      send(op, await destinationOf(op, input, context, exchangeOptions), prepared, exchangeOptions)
    const value =
      op.effect === 'read'
        ? (await work()).value
        : await withAudit({ ...context, ...entryOf(op, input, options.name) }, work)
    noteOffered(input, op)
    if (op.api !== 'traces') noteAnswer(op.api === 'agent-server' ? input : { workspace: workspace.slug })
    return visible(op, context, value)
  } catch (error) {
    if (error instanceof AppError) {
      error.view.requestId ||= requestId
      noteMissing(input, op, error)
    }
    // A stale address may be the cause, and another lookup is cheap. An abort by the caller says nothing about the address.
    if (input.deploymentId && !signal?.aborted) forgetAgentAddress(workspace.slug, input.deploymentId)
    throw error
  }
}

/** The part of a response that may leave this server. */
const visible = <T>(op: Operation, context: CallContext, value: T): T =>
  visibleTo(context, op, withinLimit(op, context, value))

function destinationOf(
  op: Operation,
  input: OperationPlace,
  { workspace }: CallContext,
  options: ExchangeOptions,
): Promise<Destination> | Destination {
  if (op.api === 'control-plane') return controlPlaneDestination(workspace)
  if (op.api === 'traces') return tracesDestination(workspace)
  if (!input.deploymentId) throw new AppError('invalid', `${op.id} needs the deployment of its agent server.`)
  return agentServerOf(workspace, input.deploymentId, options)
}
