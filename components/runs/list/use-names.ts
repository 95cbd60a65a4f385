import { useQueries, useQuery } from '@tanstack/react-query'
import type { RunRow } from '@/lib/contracts/agents/run-row'
import { shortId } from '@/lib/format/format'
import { findAssistant, pickableAssistants } from '@/lib/queries/assistants'
import { deploymentsQuery } from '@/lib/queries/deployments'
import type { Names } from './run-columns'

/** The names of a page's assistants and deployments. `assistants`: those of the one deployment. */
export function useNames(workspace: string, deploymentId: string | undefined, rows: readonly RunRow[]) {
  const deployments = useQuery({ ...deploymentsQuery(workspace, { limit: 100 }), enabled: !deploymentId })
  const unnamed = rows.filter(({ assistantName }) => assistantName === undefined)
  // A page has few rows, so it has few deployments.
  const servers = [...new Set([...(deploymentId ? [deploymentId] : []), ...unnamed.map((row) => row.deployment)])]
  const assistants = useQueries({ queries: servers.map((server) => pickableAssistants(workspace, server)) })
  const names: Names = {
    assistant: (row) => {
      const found = findAssistant(assistants[servers.indexOf(row.deployment)]?.data, row.assistant)
      return found?.name || found?.graph_id || row.assistantName || row.assistant || '–'
    },
    deployment: (id) => deployments.data?.resources.find((one) => one.id === id)?.name ?? shortId(id),
  }
  return { names, assistants: deploymentId ? assistants[0]?.data : undefined }
}
