'use client'

import { useQuery } from '@tanstack/react-query'
import type { TracingProject } from '@/lib/contracts/traces/projects'
import { deploymentsQuery } from '@/lib/queries/deployments'
import { textOf } from '@/lib/traces/blocks/values'

export type NamedProject = { id: string; name: string }

/**
 * The deployment that logs to a project, among the first hundred: the embedded platform says it in the project, others in the
 * deployment's record or by the same name.
 */
export function useDeploymentOf(workspace: string): (project: TracingProject) => string | undefined {
  const { data } = useQuery(deploymentsQuery(workspace, { limit: 100 }))
  return ({ id, name, extra }) =>
    textOf(extra?.deployment_id) ??
    data?.resources.find((one) => (one.tracing_project_id ? one.tracing_project_id === id : one.name === name))?.id
}
