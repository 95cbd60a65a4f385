import type { z } from 'zod'
import type { RunCreate } from '@/lib/contracts/agents/runs'
import type { CheckpointRequest } from '@/lib/contracts/agents/threads'
import { AUTH_KEY, CALLER_KEYS } from '@/lib/contracts/wire/dialect'
import { traceHeaders } from '../../kernel/telemetry'
import type { Assistants } from '../assistants/assistants'
import { checkContext, contextIn } from '../assistants/graph-info'
import type { Graph, Graphs } from '../assistants/graphs'
import type { User } from '../auth/caller'
import { invalid } from '../kernel/errors'
import type { WebhookRules } from '../kernel/webhook-rules'
import { checkWebhook } from './webhook-target'

type Json = Record<string, unknown>

export type RunConfig = { tags?: string[]; recursion_limit?: number; configurable: Json } & Json

/** What a run executes, fixed at creation: later changes of the assistant do not affect it. */
export type RunPlan = {
  config: RunConfig
  context: Json
  /** Whether a stateless run's temporary thread is removed with it. */
  deletesThread: boolean
  /** Whether a command of protocol 2 started it. */
  isEventStream?: boolean
  /** Who started it, where the deployment authenticates its callers. */
  user?: User
  /** The span of the request that created it. */
  traceparent?: string
}

export type RunRequest = {
  /** Undefined for a stateless run, which gets its own thread. */
  threadId: string | undefined
  body: RunCreate
  assistantId: string
  graphId: string
  metadata: Json
  plan: RunPlan
  strategy: 'reject' | 'enqueue' | 'interrupt' | 'rollback'
  place: z.output<typeof CheckpointRequest> | undefined
}

/** A command overrides the input: clients that answer an interrupt send an empty input with it. */
const withoutIdleInput = (body: RunCreate): RunCreate => (body.command ? { ...body, input: undefined } : body)

/** Validates a request as far as possible before the thread is locked. Throws 404 and 422. */
export async function readRunRequest(
  threadId: string | undefined,
  given: RunCreate,
  assistants: Assistants,
  graphs: Graphs,
  webhookRules: WebhookRules,
  user?: User,
): Promise<RunRequest> {
  const body = withoutIdleInput(given)
  refuseUnsupported(body)
  if (body.webhook) checkWebhook(body.webhook, webhookRules)
  const assistant = await assistants.get(body.assistant_id)
  const plan: RunPlan = {
    config: mergeConfig(withContext(assistant.config, assistant.context), withContext(body.config ?? {}, body.context)),
    context: {},
    deletesThread: threadId === undefined && body.on_completion !== 'keep',
    ...(user && { user }),
    ...traceHeaders(),
  }
  const graph = await graphs.get(assistant.graph_id, 'assistants.read', plan.config)
  plan.context = { ...contextOf(graph, assistant), ...contextOf(graph, body) }
  if (Object.keys(plan.context).length > 0) await checkContext(graph, plan.context)
  const checkpointId = body.checkpoint?.checkpoint_id ?? body.checkpoint_id
  return {
    threadId,
    body,
    assistantId: assistant.assistant_id,
    graphId: assistant.graph_id,
    // RemoteGraph sends its caller's metadata in the config.
    metadata: { ...assistant.metadata, ...body.config?.metadata, ...body.metadata },
    plan,
    strategy: body.multitask_strategy ?? 'enqueue',
    place: checkpointId ? { ...body.checkpoint, checkpoint_id: checkpointId } : undefined,
  }
}

function refuseUnsupported(body: RunCreate): void {
  if (body.feedback_keys?.length)
    throw invalid(['body', 'feedback_keys'], 'Feedback addresses are not available on this server')
  if ([body.stream_mode].flat().includes('lifecycle'))
    throw invalid(['body', 'stream_mode'], 'The mode lifecycle is not available on this server')
  if (body.durability && body.checkpoint_during !== undefined && body.checkpoint_during !== null)
    throw invalid(['body', 'checkpoint_during'], 'Use durability; checkpoint_during is its older form')
}

/** The caller as graphs read it from `configurable`. */
export const callerOf = ({ user }: RunPlan): Json =>
  user ? { [CALLER_KEYS.user]: user, [CALLER_KEYS.id]: user.identity, [CALLER_KEYS.permissions]: user.permissions } : {}

/** Clients that are older than contexts send the same values in `configurable`. */
const contextOf = (graph: Graph, { config, context }: { config?: Json | null; context?: Json | null }): Json => ({
  ...contextIn(graph, withoutCaller((config?.configurable ?? {}) as Json)),
  ...context,
})

/** Graphs that are older than contexts read the same values from `configurable`. */
const withContext = (config: Json, context: Json | null | undefined): Json => ({
  ...config,
  configurable: { ...context, ...(config.configurable as Json | null) },
})

function mergeConfig(base: Json, own: Json): RunConfig {
  const tags = [
    ...((base.tags as string[] | null | undefined) ?? []),
    ...((own.tags as string[] | null | undefined) ?? []),
  ]
  const limit = own.recursion_limit ?? base.recursion_limit
  return {
    ...base,
    ...own,
    ...(tags.length && { tags: [...new Set(tags)] }),
    ...(typeof limit === 'number' && { recursion_limit: limit }),
    configurable: withoutCaller({ ...(base.configurable as Json | null), ...(own.configurable as Json | null) }),
  }
}

/** A request must not name a caller of its own. */
const withoutCaller = (configurable: Json): Json =>
  Object.fromEntries(Object.entries(configurable).filter(([key]) => !AUTH_KEY.test(key)))
