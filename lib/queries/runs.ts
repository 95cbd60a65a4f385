import { agentServer } from '@/lib/contracts/agent-server'
import type { InputOf } from '@/lib/contracts/api'
import { apiQuery } from './api-query'

type ListQuery = InputOf<typeof agentServer.listRuns>['query']

/** The runs of one thread, in the server's own order: newest first on most, oldest first on some. */
export const runsQuery = (workspace: string, deployment: string, threadId: string, query: ListQuery = {}) =>
  apiQuery(agentServer.listRuns, { workspace, deployment, params: { thread_id: threadId }, query })

export const runQuery = (workspace: string, deployment: string, threadId: string, runId: string) =>
  apiQuery(agentServer.getRun, { workspace, deployment, params: { thread_id: threadId, run_id: runId } })
