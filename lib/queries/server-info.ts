import { agentServer } from '@/lib/contracts/agent-server'
import { apiQuery } from './api-query'

/** Version and feature flags of a deployment's agent server. */
export const infoQuery = (workspace: string, deploymentId: string) => ({
  ...apiQuery(agentServer.getInfo, { workspace, deploymentId }),
  staleTime: 60_000,
})
