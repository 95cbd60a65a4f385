'use client'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { EmptyState } from '@/components/shared/feedback/empty-state'
import { SpanSelect } from '@/components/shared/list/span-select'
import { Button } from '@/components/ui/button'
import { hasServer } from '@/lib/contracts/deployments/has-server'
import { deploymentQuery } from '@/lib/queries/deployments'
import { Chips } from './chips'
import { logSpan, SPANS, USUAL } from './log-span'
import { LogViewer } from './log-viewer'
import { useLogView } from './use-log-view'

const TYPES = [
  { value: 'deploy', label: 'Deploy and server' },
  { value: 'build', label: 'Build' },
] as const

type Props = { workspace: string; deploymentId: string; serverNow: number }

/** The logs of all revisions of a deployment, live. */
export function DeploymentLogs({ workspace, deploymentId, serverNow }: Props) {
  const { search, set, view, change } = useLogView({ wraps: true })
  const type = search.get('log') === 'build' ? 'build' : 'deploy'
  const key = [search.get('since'), search.get('from'), search.get('to')].join()
  // A span that ends now begins at a fixed time, so that the same lines stay; choosing one again moves it.
  const [begun, begin] = useState({ key, now: serverNow })
  if (begun.key !== key) begin({ key, now: Date.now() })
  const span = logSpan(search, begun.now)
  const { data } = useQuery(deploymentQuery(workspace, deploymentId))
  const isUnserved = type === 'deploy' && data !== undefined && data.latest_revision_id !== null && !hasServer(data)
  const showAll = () => set({ since: 'all', from: '', to: '' })
  return (
    <LogViewer
      key={type}
      workspace={workspace}
      deploymentId={deploymentId}
      type={type}
      from={span.from}
      to={span.to}
      view={view}
      onView={(shown) => set(change(shown))}
      tools={
        <>
          <Chips
            label="Log"
            value={type}
            choices={TYPES}
            onChange={(value) => set({ log: value === 'deploy' ? '' : value })}
          />
          <SpanSelect search={search} spans={SPANS} usual={USUAL} onSet={set} />
        </>
      }
      covers={`${span.label}, all revisions of this deployment. Control planes search one deployment at a time.`}
      height="h-[max(18rem,calc(100dvh-17.5rem))]"
      empty={
        isUnserved ? (
          <EmptyState
            title="No lines yet"
            action={<Button onClick={() => set({ log: 'build' })}>Show build log</Button>}
          >
            No revision of this deployment has been deployed yet.
          </EmptyState>
        ) : span.from ? (
          <EmptyState title="No lines in this time" action={<Button onClick={showAll}>Show all lines</Button>}>
            {span.to ? 'Nothing was logged between these times.' : 'New lines appear here as they are written.'}
          </EmptyState>
        ) : (
          <EmptyState title="No lines yet">Lines appear here as they are written.</EmptyState>
        )
      }
    />
  )
}
