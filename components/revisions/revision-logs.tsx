'use client'
import { EmptyState } from '@/components/shared/feedback/empty-state'
import { Tabs } from '@/components/ui/tabs'
import { LogViewer } from './logs/log-viewer'
import { useLogView } from './logs/use-log-view'

type Props = { workspace: string; deploymentId: string; revision: string; status: string; hasBuild: boolean }

/** The log that explains a failure, or the one that is being written now. */
const firstLog = (status: string, hasBuild: boolean) =>
  hasBuild && !['DEPLOYED', 'DEPLOY_FAILED', 'AWAITING_DEPLOY', 'DEPLOYING'].includes(status) ? 'build' : 'deploy'

/** The build and deploy logs of a revision. The URL keeps which one is open and how it is filtered. */
export function RevisionLogs({ workspace, deploymentId, revision, status, hasBuild }: Props) {
  const { search, set, view, change } = useLogView({ wraps: false })
  const chosen = search.get('log')
  const type = chosen === 'build' || chosen === 'deploy' ? chosen : firstLog(status, hasBuild)
  return (
    <Tabs
      label="Logs"
      value={type}
      onValueChange={(value) => set({ log: value })}
      tabs={[
        { value: 'build', label: 'Build log' },
        { value: 'deploy', label: 'Deploy log' },
      ]}
    >
      <LogViewer
        key={type}
        workspace={workspace}
        deploymentId={deploymentId}
        revision={revision}
        type={type}
        view={view}
        onView={(shown) => set({ log: type, ...change(shown) })}
        empty={
          type === 'build' && !hasBuild ? (
            <EmptyState title="No build">This revision uses a ready-made image. See the deploy log.</EmptyState>
          ) : (
            <EmptyState title="No lines yet">Lines appear here as they are written.</EmptyState>
          )
        }
      />
    </Tabs>
  )
}
