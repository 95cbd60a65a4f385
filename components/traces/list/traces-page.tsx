'use client'

import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { EmptyState } from '@/components/shared/feedback/empty-state'
import { ErrorNotice } from '@/components/shared/feedback/error-notice'
import { LateSkeleton } from '@/components/shared/feedback/late-notice'
import { useProject } from '@/components/traces/common/use-project'
import { hasServer } from '@/lib/contracts/deployments/has-server'
import type { SavedView } from '@/lib/lists/saved'
import { deploymentQuery } from '@/lib/queries/deployments'
import { TracesList } from './traces-list'

type Props = {
  workspace: string
  deploymentId: string
  views: readonly SavedView[]
  /** In place of an empty list, if the deployment has no agent server. */
  noServer: ReactNode
}

/** The traces of a deployment. */
export function TracesPage({ workspace, deploymentId, views, noServer }: Props) {
  const { data } = useQuery(deploymentQuery(workspace, deploymentId))
  const instead = data && !hasServer(data) ? noServer : undefined
  const project = useProject(workspace, deploymentId)
  if (project.state === 'found')
    return (
      <TracesList
        place={{ workspace, deploymentId }}
        sessions={[project.session]}
        views={views}
        instead={instead}
        hint="Every run of the deployment is traced. Start one with the button above."
      />
    )
  if (project.state === 'pending') return <LateSkeleton className="h-64 w-full" />
  if (project.state === 'none' && instead) return <div className="rounded-lg border bg-panel">{instead}</div>
  if (project.state === 'none')
    return <Panel title="No traces yet">The first run creates the tracing project {project.name}.</Panel>
  const { code, message } = project.error
  if (code === 'unsupported') return <Panel title="Traces not available">{message}</Panel>
  return <ErrorNotice error={project.error} onRetry={project.retry} />
}

export const Panel = ({ title, children }: { title: string; children: React.ReactNode }) => (
  <div className="rounded-lg border bg-panel">
    <EmptyState title={title}>{children}</EmptyState>
  </div>
)
