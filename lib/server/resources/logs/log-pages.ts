import 'server-only'
import { controlPlane } from '@/lib/contracts/control-plane'
import type { LOG_LEVELS, LOG_TYPES, LogsPage } from '@/lib/contracts/deployments/logs'
import { AppError } from '@/lib/errors'
import type { Actor } from '../../access/actor'
import { call } from '../../upstream/call'

export type LogOf = {
  workspace: string
  deploymentId: string
  revision: string
  type: (typeof LOG_TYPES)[number]
  level?: (typeof LOG_LEVELS)[number]
  query?: string
  /** The most lines of the page; 1,000 unless given. The older endpoint gives at most 100. */
  limit?: number
}

/**
 * One page of a revision's log, oldest first, from whichever of the two endpoints the server has.
 * Throws AppError unsupported if it has neither.
 */
export async function readLogPage(
  of: LogOf,
  offset: string | undefined,
  options: { actor?: Actor; signal?: AbortSignal },
): Promise<LogsPage> {
  const { workspace, deploymentId, revision, type, level, query, limit = 1000 } = of
  try {
    return await call(
      controlPlane.listRevisionLogs,
      {
        workspace,
        params: { deployment_id: deploymentId, revision_id: revision },
        query: { type, order: 'asc', limit, offset, level, query },
      },
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
          deployment_id: deploymentId,
          revision_id: revision,
          log_type: type === 'build' ? 'BUILD' : 'DEPLOY',
          sort_order: 'asc',
          page_size: Math.min(limit, 100),
          cursor: offset,
          level,
          query,
        },
      },
      options,
    )
    return { logs: items, next_offset: next_cursor ?? null }
  }
}
