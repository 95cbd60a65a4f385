'use client'

import { useQuery } from '@tanstack/react-query'
import { useDeploymentOf } from '@/components/traces/common/use-projects'
import { projectQuery } from '@/lib/queries/traces'
import { TracePage } from './trace-page'

/** A trace below its project. If that is a deployment's, the trace links to the deployment's threads. */
export function ProjectTrace({ workspace, project, trace }: { workspace: string; project: string; trace: string }) {
  const { data } = useQuery(projectQuery(workspace, project))
  const deploymentOf = useDeploymentOf(workspace)
  const deploymentId = data && deploymentOf(data)
  return (
    <TracePage place={{ workspace, project, ...(deploymentId && { deploymentId }) }} trace={trace} recording={null} />
  )
}
