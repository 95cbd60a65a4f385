import 'server-only'
import { controlPlane } from '@/lib/contracts/control-plane'
import type { LOG_LEVELS, LOG_TYPES, LogsPage } from '@/lib/contracts/deployments/logs'
import { AppError } from '@/lib/errors'
import type { Actor } from '../../access/actor'
import { call } from '../../upstream/call'

export type LogOf = {
  workspace: string
  deploymentId: string
  /** Absent for the lines of all revisions. */
  revision?: string
  type: (typeof LOG_TYPES)[number]
  /** Only lines between these two times, ISO 8601. */
  from?: string
  to?: string
  level?: (typeof LOG_LEVELS)[number]
  query?: string
  /** The most lines of the page; 1,000 unless given. The older endpoint gives at most 100. */
  limit?: number
  /** The newest lines first. */
  isNewestFirst?: boolean
}

/**
 * One page of a log, oldest first unless asked otherwise, from whichever of the two endpoints the server has.
 * Throws AppError unsupported if it has neither.
 */
export async function readLogPage(
  of: LogOf,
  offset: string | undefined,
  options: { actor?: Actor; signal?: AbortSignal },
): Promise<LogsPage> {
  const { workspace, deploymentId: deployment_id, revision, type, limit = 1000 } = of
  const order = of.isNewestFirst ? ('desc' as const) : ('asc' as const)
  const filters = { start_time: of.from, end_time: of.to, level: of.level, query: of.query }
  const query = { type, order, limit, offset, ...filters }
  try {
    return revision === undefined
      ? await call(controlPlane.listDeploymentLogs, { workspace, params: { deployment_id }, query }, options)
      : await call(
          controlPlane.listRevisionLogs,
          { workspace, params: { deployment_id, revision_id: revision }, query },
          options,
        )
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'unsupported' || error.view.upstreamStatus === undefined)
      throw error
    const { items, next_cursor } = await call(
      controlPlane.searchDeploymentLogs,
      {
        workspace,
        query: {
          deployment_id,
          revision_id: revision,
          log_type: type === 'build' ? 'BUILD' : 'DEPLOY',
          sort_order: order,
          page_size: Math.min(limit, 100),
          cursor: offset,
          ...filters,
        },
      },
      options,
    )
    return { logs: items, next_offset: next_cursor ?? null }
  }
}
