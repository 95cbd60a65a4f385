import { agentServer } from '@/lib/contracts/agent-server'
import { apiQuery } from './api-query'

/** Version and feature flags of a deployment's agent server. */
export const infoQuery = (workspace: string, deployment: string) => ({
  ...apiQuery(agentServer.getInfo, { workspace, deployment }),
  staleTime: 60_000,
})
