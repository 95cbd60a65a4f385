'use client'

import type { ReactNode } from 'react'
import { EmptyState } from '@/components/shared/feedback/empty-state'
import { ErrorNotice } from '@/components/shared/feedback/error-notice'
import { LateSkeleton } from '@/components/shared/feedback/late-notice'
import { useProject } from '@/components/traces/common/use-project'
import type { SavedView } from '@/lib/lists/saved'
import { TracesList } from './traces-list'

type Props = {
  workspace: string
  deploymentId: string
  views: readonly SavedView[]
  /** In place of the list until the tracing project exists. */
  empty: ReactNode
}

/** The traces of a deployment. */
export function TracesPage({ workspace, deploymentId, views, empty }: Props) {
  const project = useProject(workspace, deploymentId)
  if (project.state === 'found')
    return (
      <TracesList
        place={{ workspace, deploymentId }}
        sessions={[project.session]}
        views={views}
        hint="Every run of the deployment is traced."
      />
    )
  if (project.state === 'pending') return <LateSkeleton className="h-64 w-full" />
  if (project.state === 'none') return <div className="rounded-lg border bg-panel">{empty}</div>
  const { code, message } = project.error
  if (code === 'unsupported') return <Panel title="Traces not available">{message}</Panel>
  return <ErrorNotice error={project.error} onRetry={project.retry} />
}

export const Panel = ({ title, children }: { title: string; children: React.ReactNode }) => (
  <div className="rounded-lg border bg-panel">
    <EmptyState title={title}>{children}</EmptyState>
  </div>
)
