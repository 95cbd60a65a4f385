import { isRecord } from '@/lib/json/guards'
import type { Assistants } from '../assistants/assistants'
import type { RpcHandlers } from '../http/handler-types'
import { EVENT_STREAM } from '../http/http'
import { HEARTBEAT, HEARTBEAT_MS } from '../runs/events'
import { A2aAgent, type A2aServices } from './a2a-agent'
import { INVALID_REQUEST, readRpc } from './rpc'

const VERSIONS = ['0.3', '1.0']
/** The protocol's error code for an unsupported version. */
const VERSION_NOT_SUPPORTED = -32009

/**
 * The agent-to-agent protocol over JSON-RPC, in versions 1.0 (`SendMessage`) and 0.3 (`message/send`). The method name
 * tells the version.
 */
export function a2aHandler(services: A2aServices, assistants: Assistants): RpcHandlers['sendA2a'] {
  // Loaded on the first request, because most deployments never get one.
  let sdk: ReturnType<typeof loadSdk> | undefined
  return async (request, { assistant_id }, caller) => {
    const assistant = await assistants.get(assistant_id)
    const { assistant_id: id } = assistant
    await assistants.check(id, await caller?.ask('assistants:read', { assistant_id: id }))
    // JSON-RPC reports errors in the body; a client that reads only successful responses must get them too.
    const read = await readRpc(request, 200)
    if ('refusal' in read) return read.refusal
    const { body } = read
    const refuse = (code: number, message: string) =>
      Response.json({ jsonrpc: '2.0', id: idOf(body), error: { code, message } })
    const problem = requestProblem(body)
    if (problem) return refuse(INVALID_REQUEST, problem)
    const version = request.headers.get('a2a-version')
    if (version && !VERSIONS.includes(version))
      return refuse(VERSION_NOT_SUPPORTED, `This agent supports the versions ${VERSIONS.join(' and ')}.`)
    sdk ??= loadSdk()
    const { errors, JsonRpcTransportHandler, LegacyJsonRpcTransportHandler, isV1JsonRpcMethod, ServerCallContext } =
      await sdk
    const isNew = isV1JsonRpcMethod((body as { method?: unknown } | null)?.method as string)
    const isWrite = /cancel|(create|set|delete).*push|push.*(set|delete)/i.test(
      String((body as { method?: unknown }).method),
    )
    const only = await caller?.ask(isWrite ? 'threads:update' : 'threads:read', {})
    const limited = { ...services, tasks: services.tasks.limitedTo(only), starter: services.starter.as(caller) }
    const agent = new A2aAgent(limited, assistant, errors, request.signal, isNew ? '1.0' : '0.3').asHandler()
    const transport = isNew ? new JsonRpcTransportHandler(agent) : new LegacyJsonRpcTransportHandler(agent)
    const context = new ServerCallContext({ requestedVersion: isNew ? '1.0' : '0.3' })
    const response = await transport.handle(body as Record<string, unknown>, context)
    if (Symbol.asyncIterator in response) {
      const explain = isNew
        ? JsonRpcTransportHandler.mapToJSONRPCError
        : LegacyJsonRpcTransportHandler.mapToLegacyJSONRPCError
      const onError = (error: unknown) => ({
        jsonrpc: '2.0',
        id: idOf(body),
        error: explain(error),
      })
      return new Response(eventStream(response, onError), { headers: EVENT_STREAM })
    }
    return Response.json(response)
  }
}

/** The id to answer with; null if the request has none that JSON-RPC allows. */
function idOf(body: unknown): string | number | null {
  const id = isRecord(body) ? body.id : undefined
  return typeof id === 'string' || typeof id === 'number' ? id : null
}

/** Why a body is not a JSON-RPC request; the SDK checks only a part of this, with other codes. */
function requestProblem(body: unknown): string | undefined {
  if (!isRecord(body)) return 'The body has to be one JSON-RPC request.'
  if (body.jsonrpc !== '2.0') return 'The field jsonrpc has to be "2.0".'
  if (typeof body.method !== 'string') return 'The field method has to be a string.'
  if (body.id !== undefined && body.id !== null && idOf(body) === null) return 'The id has to be a string or a number.'
  return undefined
}

async function loadSdk() {
  const [server, compat, legacy, errors] = await Promise.all([
    import('@a2a-js/sdk/server'),
    import('@a2a-js/sdk/compat/v0_3'),
    import('@a2a-js/sdk/compat/v0_3/server'),
    import('@a2a-js/sdk/errors'),
  ])
  return { ...server, ...compat, ...legacy, errors }
}

/** Sends each item as an event, and a comment while there is none. An error is sent as the last item. */
function eventStream(
  items: AsyncGenerator<object, void, undefined>,
  onError: (error: unknown) => object,
): ReadableStream<Uint8Array> {
  let next: Promise<IteratorResult<object, void>> | undefined
  const encode = (item: object) => Buffer.from(`data: ${JSON.stringify(item)}\n\n`)
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        next ??= items.next()
        let timer: ReturnType<typeof setTimeout> | undefined
        try {
          const silence = new Promise<undefined>((resolve) => {
            timer = setTimeout(() => resolve(undefined), HEARTBEAT_MS)
          })
          const item = await Promise.race([next, silence])
          if (!item) return controller.enqueue(Buffer.from(HEARTBEAT))
          next = undefined
          if (item.done) controller.close()
          else controller.enqueue(encode(item.value))
        } catch (error) {
          controller.enqueue(encode(onError(error)))
          controller.close()
        } finally {
          clearTimeout(timer)
        }
      },
      // The pending wait ends with the request's signal.
      cancel: () => void items.return().catch(() => {}),
    },
    { highWaterMark: 0 },
  )
}
