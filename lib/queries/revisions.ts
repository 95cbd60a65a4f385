import { controlPlane } from '@/lib/contracts/control-plane'
import type { InputOf } from '@/lib/contracts/wire/api'
import { apiQuery } from './api-query'

type ListQuery = InputOf<typeof controlPlane.listRevisions>['query']
type LogsQuery = NonNullable<InputOf<typeof controlPlane.listRevisionLogs>['query']>

export const revisionsQuery = (workspace: string, deploymentId: string, query: ListQuery = {}) =>
  apiQuery(controlPlane.listRevisions, { workspace, params: { deployment_id: deploymentId }, query })

export const revisionQuery = (workspace: string, deploymentId: string, revisionId: string) =>
  apiQuery(controlPlane.getRevision, { workspace, params: { deployment_id: deploymentId, revision_id: revisionId } })

export const revisionLogsQuery = (workspace: string, deploymentId: string, revisionId: string, query: LogsQuery) =>
  apiQuery(controlPlane.listRevisionLogs, {
    workspace,
    params: { deployment_id: deploymentId, revision_id: revisionId },
    query,
  })
