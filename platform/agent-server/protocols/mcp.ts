import type { Server } from '@modelcontextprotocol/sdk/server/index.js'
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js'
import { isRecord } from '@/lib/json/guards'
import type { Caller } from '../auth/caller'
import type { RpcHandlers } from '../http/handler-types'
import { HttpError, stackOf } from '../kernel/errors'
import type { Entry, Outcome } from '../runs/events'
import { type RunReaders, resultOf } from '../runs/run-readers'
import type { RunStarter } from '../runs/run-starter'
import type { Runs } from '../runs/runs'
import { lastMessageText } from '../threads/message-text'
import { interruptOut } from '../threads/state'
import { CursorError, type McpTools } from './mcp-tools'
import { failureOf, INTERNAL_ERROR, INVALID_PARAMS, readRpc, sentenceOf } from './rpc'

type Json = Record<string, unknown>

type Services = {
  tools: McpTools
  starter: RunStarter
  readers: RunReaders
  runs: Runs
  identity: { name: string; version: string }
  logError(line: string): void
}

/** Called after each step of a run, with the step count and a description. */
type Progress = (steps: number, message: string) => void

/** Keep-alive interval: a proxy may close an idle connection. */
const KEEP_ALIVE_MS = 15_000

/**
 * The Model Context Protocol over streamable HTTP without sessions, so that any process can handle any request. A tool
 * is an assistant, and a call is one stateless run.
 */
export function mcpHandler(services: Services): RpcHandlers['sendMcp'] {
  // Loaded on the first request: it is large, and most deployments never need it.
  let sdk: ReturnType<typeof loadSdk> | undefined
  return async (request, _, caller) => {
    const read = await readRpc(request)
    if ('refusal' in read) return read.refusal
    sdk ??= loadSdk()
    const { createServer, createTransport } = await sdk
    const accept = request.headers.get('accept') ?? ''
    const transport = createTransport(!(accept.includes('text/event-stream') && isCall(read.body)))
    const server = createServer({ ...services, starter: services.starter.as(caller) }, request.signal, caller)
    await server.connect(transport)
    const headers = new Headers(request.headers)
    // JSON-only clients get JSON, although the protocol asks to refuse them.
    headers.set('accept', 'application/json, text/event-stream')
    headers.set('content-type', 'application/json')
    return transport.handleRequest(new Request(request.url, { method: 'POST', headers }), {
      parsedBody: knownFields(read.body),
    })
  }
}

/** The library refuses a message with others. */
const FIELDS = ['jsonrpc', 'id', 'method', 'params', 'result', 'error']

const knownFields = (body: unknown): unknown =>
  Array.isArray(body)
    ? body.map(knownFields)
    : isRecord(body)
      ? Object.fromEntries(Object.entries(body).filter(([key]) => FIELDS.includes(key)))
      : body

/** A call may take long: its response starts at once, so that progress can be sent. */
const isCall = (body: unknown): boolean =>
  [body].flat().some((one) => (one as { method?: unknown } | null)?.method === 'tools/call')

async function loadSdk() {
  const [{ Server }, { WebStandardStreamableHTTPServerTransport }, types, { AjvJsonSchemaValidator }] =
    await Promise.all([
      import('@modelcontextprotocol/sdk/server/index.js'),
      import('@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'),
      import('@modelcontextprotocol/sdk/types.js'),
      import('@modelcontextprotocol/sdk/validation/ajv'),
    ])
  // Shared, because creating one per server would take most of a request's time.
  const jsonSchemaValidator = new AjvJsonSchemaValidator()

  const createServer = (
    { tools, identity, ...services }: Services,
    signal: AbortSignal,
    caller: Caller | undefined,
  ): Server => {
    const server = new Server(identity, { capabilities: { tools: {} }, jsonSchemaValidator })
    /** The error message, without details that only the operator may see. */
    const guarded = async <T>(work: () => Promise<T>): Promise<T> => {
      try {
        return await work()
      } catch (error) {
        if (error instanceof types.McpError) throw error
        if (error instanceof HttpError) throw new types.McpError(INVALID_PARAMS, sentenceOf(error.detail))
        if (error instanceof CursorError) throw new types.McpError(INVALID_PARAMS, error.message)
        services.logError(`A request by MCP failed: ${stackOf(error)}`)
        throw new types.McpError(INTERNAL_ERROR, 'Internal error')
      }
    }
    server.setRequestHandler(types.ListToolsRequestSchema, ({ params }) =>
      guarded(async () => tools.list(params?.cursor, await caller?.ask('assistants:search', {}))),
    )
    server.setRequestHandler(types.CallToolRequestSchema, ({ params }, extra) =>
      guarded(async () => {
        const assistant = await tools.find(params.name, (id) => caller?.ask('assistants:read', { assistant_id: id }))
        if (!assistant) throw new types.McpError(INVALID_PARAMS, `Unknown tool: ${params.name}`)
        const token = params._meta?.progressToken
        const tell: Progress | undefined =
          token === undefined
            ? undefined
            : (progress, message) => {
                const notice = { progressToken: token, progress, message }
                void extra.sendNotification({ method: 'notifications/progress', params: notice }).catch(() => {})
              }
        const both = AbortSignal.any([signal, extra.signal])
        return callAssistant(services, assistant.assistant_id, params.arguments ?? {}, both, tell)
      }),
    )
    return server
  }
  const createTransport = (enableJsonResponse: boolean) =>
    new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: undefined,
      enableJsonResponse,
      keepAliveMs: KEEP_ALIVE_MS,
    })
  return { createServer, createTransport }
}

/** One stateless run, to its end. Failures of the run and invalid input are returned as results for the caller's model. */
async function callAssistant(
  { starter, readers, runs }: Pick<Services, 'starter' | 'readers' | 'runs'>,
  assistantId: string,
  input: Json,
  signal: AbortSignal,
  tell: Progress | undefined,
): Promise<CallToolResult> {
  try {
    const body = { assistant_id: assistantId, input, stream_mode: 'updates' as const }
    const { subscription, row } = await starter.createSubscribed(undefined, body, { modes: tell ? ['updates'] : [] })
    // Safe to cancel, because nobody could read the result later.
    const onLeave = () => void runs.cancel(row.run_id, 'interrupt').catch(() => {})
    if (signal.aborted) onLeave()
    else signal.addEventListener('abort', onLeave, { once: true })
    let steps = 0
    for await (const events of readers.read(row, { signal }, subscription))
      for (const event of events) if (event.event === 'updates') tell?.(++steps, nodesOf(event))
    signal.removeEventListener('abort', onLeave)
    return toolResult(await readers.outcome(row, subscription.log))
  } catch (error) {
    if (!(error instanceof HttpError)) throw error
    return failure(sentenceOf(error.detail))
  }
}

const nodesOf = ({ data }: Entry): string => Object.keys(JSON.parse(data) as object).join(', ')

function toolResult(outcome: Outcome): CallToolResult {
  const { error, snapshot } = outcome
  if (error) return failure(failureOf(error))
  if (!snapshot) return failure('The run was cancelled.')
  const interrupts = snapshot.tasks.flatMap((task) => task.interrupts.map(interruptOut))
  const values = resultOf(outcome)
  const structured = isRecord(values) ? values : { value: values }
  if (interrupts.length > 0) {
    const asked = interrupts.map(({ value }) => (typeof value === 'string' ? value : JSON.stringify(value)))
    return {
      ...failure(`The agent waits for an answer, which a tool call cannot give: ${asked.join('; ')}`),
      structuredContent: structured,
    }
  }
  const text = lastMessageText(values) ?? JSON.stringify(values)
  return { content: [{ type: 'text', text }], structuredContent: structured }
}

const failure = (text: string): CallToolResult => ({ content: [{ type: 'text', text }], isError: true })
