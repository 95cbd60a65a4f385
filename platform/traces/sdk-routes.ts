import { HttpError } from '../kernel/http-error'
import { FeedbackPatch, FeedbackQuery, type FeedbackRecords } from './feedback'
import type { Intake, SpansResponse } from './intake'
import { encodeFailure, encodeResponse } from './otlp/messages'
import type { TraceQueries } from './queries'
import { type Handler, json, type Route, reply } from './routes'
import { RunQueryV2, RunsQueryV2, toRunsQuery } from './runs-v2'

/** Routes that SDKs and exporters use and the console does not. */

/** Not 501, after which a client would try again. */
const refuse =
  (reason: string): Handler =>
  () => {
    throw new HttpError(404, reason)
  }
const refuseSharing = refuse('This server has no public links to runs. Users of the console can open runs there.')
const refuseFeedbackLinks = refuse('This server has no public links for feedback. Send feedback with an API key.')

export function sdkRoutes({ intake, feedback }: { intake: Intake; feedback: FeedbackRecords }): Route[] {
  const takeSpans: Handler = async (input) => {
    const { context, deploymentId } = input
    const project = context.req.header('langsmith-project')?.trim() || undefined
    return replyToExporter(input, await intake.spans(context.env.incoming, project, deploymentId))
  }
  return [
    ...['/otel/v1/traces', '/v1/traces'].map(
      (path): Route => ({ method: 'POST', path, isIntake: true, handle: takeSpans }),
    ),
    {
      method: 'GET',
      path: '/feedback',
      query: FeedbackQuery,
      handle: async ({ context, query }) => context.json(await feedback.list(query)),
    },
    { method: 'GET', path: '/feedback/tokens', handle: refuseFeedbackLinks },
    { method: 'POST', path: '/feedback/tokens', handle: refuseFeedbackLinks },
    {
      method: 'GET',
      path: '/feedback/{feedback_id}',
      handle: async ({ context, params }) => context.json(await feedback.get(params.feedback_id ?? '')),
    },
    {
      method: 'PATCH',
      path: '/feedback/{feedback_id}',
      body: FeedbackPatch,
      handle: async ({ context, params, body }) => context.json(await feedback.update(params.feedback_id ?? '', body)),
    },
    {
      method: 'DELETE',
      path: '/feedback/{feedback_id}',
      handle: async ({ context, params }) => {
        await feedback.remove(params.feedback_id ?? '')
        return context.json({ message: 'Feedback deleted' })
      },
    },
    // Nothing is shared, so there is nothing to end either.
    { method: 'GET', path: '/runs/{run_id}/share', handle: ({ context }) => context.json(null) },
    { method: 'DELETE', path: '/runs/{run_id}/share', handle: ({ context }) => context.body(null, 204) },
    { method: 'PUT', path: '/runs/{run_id}/share', handle: refuseSharing },
    { method: 'GET', path: '/public/*', handle: refuseSharing },
    { method: 'POST', path: '/public/*', handle: refuseSharing },
  ]
}

/** Version 2 of the API, below a prefix of its own. */
export const routesV2 = ({ queries }: { queries: TraceQueries }): Route[] => [
  {
    method: 'POST',
    path: '/runs/query',
    body: RunsQueryV2,
    handle: async ({ context, body }) => json(context, await queries.runsV2(toRunsQuery(body), body.selects ?? [])),
  },
  {
    method: 'GET',
    path: '/runs/{run_id}',
    query: RunQueryV2,
    handle: async ({ context, params, query }) => {
      const run = await queries.runV2(params.run_id ?? '', query.project_id, query.selects ?? [])
      return json(context, run)
    },
  },
  { method: 'DELETE', path: '/runs/{run_id}/share', handle: ({ context }) => context.body(null, 204) },
  { method: 'POST', path: '/runs/{run_id}/share', handle: refuseSharing },
  { method: 'GET', path: '/public/*', handle: refuseSharing },
  { method: 'POST', path: '/public/*', handle: refuseSharing },
]

/** A response in the exporter's own format, with what was not stored as a partial success. */
function replyToExporter({ context }: Parameters<Handler>[0], response: SpansResponse): Response {
  const { isJson, rejected, body, retryAfterS } = response
  const isDone = response.status === 202 || response.status === 422
  const message = Array.isArray(body.detail)
    ? body.detail.map(({ loc, msg }: { loc: unknown[]; msg: string }) => `${loc.join('.')}: ${msg}`).join('; ')
    : String(body.detail ?? '')
  const outcome = response.status === 422 ? { partialSuccess: { rejectedSpans: rejected, errorMessage: message } } : {}
  const content = isJson
    ? JSON.stringify(isDone ? outcome : { message })
    : isDone
      ? encodeResponse(outcome)
      : encodeFailure(message)
  return reply(context, {
    status: isDone ? 200 : response.status,
    content,
    type: isJson ? 'application/json' : 'application/x-protobuf',
    retryAfterS,
  })
}
