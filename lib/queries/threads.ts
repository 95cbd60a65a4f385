import { keepPreviousData } from '@tanstack/react-query'
import { agentServer } from '@/lib/contracts/agent-server'
import type { InputOf } from '@/lib/contracts/api'
import { apiQuery } from './api-query'

type Search = NonNullable<InputOf<typeof agentServer.searchThreads>['body']>

/** A page of threads; the last page stays on screen while the next loads. */
export const threadsQuery = (workspace: string, deployment: string, body: Search = {}) => ({
  ...apiQuery(agentServer.searchThreads, { workspace, deployment, body }),
  placeholderData: keepPreviousData,
})

export const threadQuery = (workspace: string, deployment: string, threadId: string) =>
  apiQuery(agentServer.getThread, { workspace, deployment, params: { thread_id: threadId } })

export const threadStateQuery = (workspace: string, deployment: string, threadId: string) =>
  apiQuery(agentServer.getThreadState, { workspace, deployment, params: { thread_id: threadId } })

export const threadHistoryQuery = (workspace: string, deployment: string, threadId: string, limit = 20) =>
  apiQuery(agentServer.searchThreadHistory, { workspace, deployment, params: { thread_id: threadId }, body: { limit } })
