import { createRequire } from 'node:module'
import type { Db } from './db'
import { renderDocs } from './docs-page'
import { HttpError } from './errors'
import type { Handlers, OperationId } from './handlers'
import { absent } from './http'
import { describeApi } from './openapi'

/** Of this server's HTTP surface; raised when it changes. */
export const VERSION = '0.1.0'

type SystemHandlers = Pick<Handlers, 'getOk' | 'getInfo' | 'getMetrics' | 'getDocs' | 'getOpenapi'>

/** Operations that this server does not have; the flags of `/info` say so by group. */
export const ABSENT = [
  ...(['createThreadCron', 'createCron', 'searchCrons', 'countCrons', 'getCron', 'updateCron', 'deleteCron'] as const),
  ...(['putItem', 'getItem', 'deleteItem', 'searchItems', 'listNamespaces'] as const),
  ...(['sendA2a', 'getAgentCard', 'sendMcp', 'getMetrics'] as const),
  ...(['streamThread', 'streamThreadEvents', 'sendThreadCommand'] as const),
] as const satisfies OperationId[]

const FLAGS = {
  assistants: true,
  threads: true,
  runs: true,
  crons: false,
  store: false,
  a2a: false,
  mcp: false,
  metrics: false,
  webhooks: false,
  thread_stream: false,
  event_streaming: false,
  docs: true,
}

const runtimeVersion = (): string => {
  const require = createRequire(import.meta.url)
  return (require('@langchain/langgraph/package.json') as { version: string }).version
}

export function systemHandlers(db: Db, info: unknown): SystemHandlers {
  const api = () => describeApi(VERSION, (id) => (ABSENT as readonly string[]).includes(id))
  return {
    async getOk({ query }) {
      if (query.check_db)
        await db.query('select 1').catch(() => {
          throw new HttpError(500, 'The database does not answer.')
        })
      return { body: { ok: true } }
    },

    getInfo: async () => ({
      body: { version: VERSION, graph_js_version: runtimeVersion(), context: 'js', flags: FLAGS, metadata: info ?? {} },
    }),

    getMetrics: absent('Metrics are'),
    getDocs: async () => ({
      text: renderDocs(api() as Parameters<typeof renderDocs>[0]),
      headers: {
        'Content-Type': 'text/html; charset=utf-8',
        'Content-Security-Policy': `default-src 'none'; style-src 'unsafe-inline'`,
      },
    }),
    getOpenapi: async () => ({ body: api() }),
  }
}

/** Groups that are answered with a clear refusal as a whole. */
export const absentHandlers = {
  createCron: absent('Crons are'),
  searchCrons: absent('Crons are'),
  countCrons: absent('Crons are'),
  getCron: absent('Crons are'),
  updateCron: absent('Crons are'),
  deleteCron: absent('Crons are'),
  putItem: absent('The store is'),
  getItem: absent('The store is'),
  deleteItem: absent('The store is'),
  searchItems: absent('The store is'),
  listNamespaces: absent('The store is'),
  sendA2a: absent('A2A is'),
  getAgentCard: absent('A2A is'),
  sendMcp: absent('MCP is'),
} satisfies Partial<Handlers>
