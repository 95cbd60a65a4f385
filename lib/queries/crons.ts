import { keepPreviousData } from '@tanstack/react-query'
import { agentServer } from '@/lib/contracts/agent-server'
import type { InputOf } from '@/lib/contracts/wire/api'
import { apiQuery } from './api-query'

type Search = NonNullable<InputOf<typeof agentServer.searchCrons>['body']>

/** A page of crons. The previous page stays visible while the next one loads. */
export const cronsQuery = (workspace: string, deploymentId: string, body: Search = {}) => ({
  ...apiQuery(agentServer.searchCrons, { workspace, deploymentId, body }),
  placeholderData: keepPreviousData,
})

/** Whether the server has crons at all. */
export const anyCronQuery = (workspace: string, deploymentId: string) =>
  cronsQuery(workspace, deploymentId, { limit: 1 })

export const cronQuery = (workspace: string, deploymentId: string, cron: string) =>
  apiQuery(agentServer.getCron, { workspace, deploymentId, params: { cron_id: cron } })
