import { createRequire } from 'node:module'
import type { Assistants } from '../assistants/assistants'
import type { Graphs } from '../assistants/graphs'
import { renderDocs } from '../http/docs-page'
import type { Handlers } from '../http/handler-types'
import type { Reply } from '../http/http'
import type { Metrics } from '../http/metrics'
import { describeApi } from '../http/openapi'
import { HttpError } from '../kernel/errors'
import type { Db } from '../persistence/db'
import { agentCard, publicBase } from '../protocols/agent-card'
import type { McpTools } from '../protocols/mcp-tools'

/** Version of this server's HTTP API; raise it when the API changes. */
export const VERSION = '0.1.0'

type SystemHandlers = Pick<
  Handlers,
  'getOk' | 'getInfo' | 'getMetrics' | 'getDocs' | 'getOpenapi' | 'getAgentCard' | 'getAssistantCard'
>

const FLAGS = {
  assistants: true,
  threads: true,
  runs: true,
  crons: true,
  store: true,
  a2a: true,
  mcp: true,
  metrics: true,
  webhooks: true,
  thread_stream: true,
  event_streaming: true,
  docs: true,
}

const ownRuntime = (): string => {
  const require = createRequire(import.meta.url)
  return (require('@langchain/langgraph/package.json') as { version: string }).version
}

type Services = {
  db: Db
  metrics: Metrics
  graphs: Pick<Graphs, 'runtimes'>
  assistants: Assistants
  tools: McpTools
  /** Whether other agents can be told about tasks. */
  hasPush: boolean
  /** Goes into `/info`. */
  info: unknown
}

export function systemHandlers({ db, metrics, graphs, assistants, tools, hasPush, info }: Services): SystemHandlers {
  const card = async (assistantId: string, headers: Headers): Promise<Reply> => {
    const row = await assistants.get(assistantId)
    return { body: agentCard(row, publicBase(headers), await tools.inputFields(row.graph_id), hasPush) }
  }
  const api = (headers: Headers) => describeApi({ version: VERSION, base: publicBase(headers) })
  return {
    async getOk({ query }) {
      if (query.check_db)
        await db.query('select 1').catch(() => {
          throw new HttpError(500, 'The database is unreachable.')
        })
      return { body: { ok: true } }
    },

    getInfo: async () => ({
      body: {
        version: VERSION,
        graph_js_version: graphs.runtimes(ownRuntime()).join(', '),
        context: 'js',
        flags: FLAGS,
        metadata: info ?? {},
      },
    }),

    getMetrics: async ({ query }) =>
      query.format === 'json'
        ? { text: JSON.stringify(await metrics.json()), headers: { 'Content-Type': 'application/json' } }
        : { text: await metrics.text(), headers: { 'Content-Type': metrics.contentType } },
    async getDocs({ headers }) {
      const { html, policy, etag } = await renderDocs(api(headers) as Parameters<typeof renderDocs>[0])
      const caching = { ETag: etag, 'Cache-Control': 'private, no-cache', Vary: 'X-Forwarded-Host, X-Forwarded-Prefix' }
      if (headers.get('if-none-match')?.includes(etag)) return { status: 304, headers: caching }
      return {
        text: html,
        headers: {
          ...caching,
          'Content-Type': 'text/html; charset=utf-8',
          'Content-Security-Policy': policy,
          'X-Content-Type-Options': 'nosniff',
          'Referrer-Policy': 'no-referrer',
        },
      }
    },
    getAgentCard: ({ query, headers }) => card(query.assistant_id, headers),
    getAssistantCard: ({ params, headers }) => card(params.assistant_id, headers),
    getOpenapi: async ({ headers }) => ({ body: api(headers) }),
  }
}
