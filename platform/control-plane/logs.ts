import type { ListRevisionLogsQuery } from '@/lib/contracts/deployments/logs'
import { invalid, uuid } from '../kernel/http-error'
import type { LogRow } from '../kernel/revision-log'
import type { Handlers, LogType } from '../kernel/wire'
import { find } from './deployments'
import type { Platform } from './platform'
import { logRecord } from './records'
import { findRevision } from './revisions'

export function logHandlers(
  platform: Platform,
): Pick<Handlers, 'listRevisionLogs' | 'listDeploymentLogs' | 'searchDeploymentLogs'> {
  const page = async (deploymentId: string, revisionId: string | undefined, query: ListRevisionLogsQuery) => ({
    body: await logPage(platform, deploymentId, revisionId, query),
  })
  return {
    async listRevisionLogs({ params, query }) {
      const deploymentId = uuid('path', 'deployment_id', params.deployment_id)
      const revision = await findRevision(platform, deploymentId, uuid('path', 'revision_id', params.revision_id))
      return page(deploymentId, revision.id, query)
    },

    async listDeploymentLogs({ params, query }) {
      const deploymentId = uuid('path', 'deployment_id', params.deployment_id)
      await find(platform, deploymentId)
      return page(deploymentId, undefined, query)
    },

    async searchDeploymentLogs({ query }) {
      const deploymentId = uuid('query', 'deployment_id', query.deployment_id)
      await find(platform, deploymentId)
      const order = query.sort_order ?? 'desc'
      const rows = await platform.logs.read({
        deploymentId,
        revisionId: query.revision_id && uuid('query', 'revision_id', query.revision_id),
        type: query.log_type.toLowerCase() as LogType,
        order,
        limit: query.page_size,
        after: cursor('cursor', query.cursor),
        ...filters(query),
      })
      return { body: { items: rows.map(logRecord), next_cursor: nextCursor(rows, order, query.page_size) } }
    },
  }
}

/** One page of a deployment's log, or of one revision's. */
export async function logPage(
  platform: Platform,
  deploymentId: string,
  revisionId: string | undefined,
  query: ListRevisionLogsQuery,
) {
  const { type, order, limit, offset } = query
  const after = cursor('offset', offset)
  const rows = await platform.logs.read({ deploymentId, revisionId, type, order, limit, after, ...filters(query) })
  return { logs: rows.map(logRecord), next_offset: nextCursor(rows, order, limit) }
}

/**
 * Oldest first, there is a cursor as long as there were lines, so that a reader can wait for more; newest first ends.
 */
const nextCursor = (rows: LogRow[], order: 'asc' | 'desc', limit: number): string | null =>
  rows.length && (order === 'asc' || rows.length === limit) ? String(rows.at(-1)?.id) : null

function cursor(field: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  if (/^\d{1,15}$/.test(text)) return Number(text)
  throw invalid('query', [{ path: [field], message: 'Input is not a cursor of this server', type: 'value_error' }])
}

type Filters = Pick<ListRevisionLogsQuery, 'start_time' | 'end_time' | 'query' | 'level' | 'run_id'>

const filters = ({ start_time, end_time, query, level, run_id }: Filters) => ({
  from: parseTime('start_time', start_time),
  to: parseTime('end_time', end_time),
  query,
  level,
  runId: run_id,
})

const ISO = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)(Z|[+ -]\d\d:?\d\d)?)?$/i

/**
 * A time as ISO 8601 text, UTC without a zone, or as a number since the epoch: seconds, or milliseconds if it is too
 * large for those.
 */
function parseTime(field: string, text: string | undefined): Date | undefined {
  if (text === undefined) return undefined
  const [, day, time = '00:00', zone = 'Z'] = ISO.exec(text) ?? []
  const number = /^\d{1,16}(\.\d+)?$/.test(text) ? Number(text) : Number.NaN
  // A blank before the zone was a plus before the query was decoded.
  const date = new Date(day ? `${day}T${time}${zone.replace(' ', '+')}` : number < 2e10 ? number * 1000 : number)
  if (!Number.isNaN(date.getTime())) return date
  throw invalid('query', [{ path: [field], message: 'Input should be a valid datetime', type: 'datetime_parsing' }])
}
