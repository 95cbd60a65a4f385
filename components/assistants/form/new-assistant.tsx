'use client'
import { useQuery } from '@tanstack/react-query'
import { useSearchParams } from 'next/navigation'
import { useState } from 'react'
import { EmptyState } from '@/components/shared/feedback/empty-state'
import { ErrorNotice } from '@/components/shared/feedback/error-notice'
import { useSetSearch } from '@/components/shared/layout/use-set-search'
import { Field } from '@/components/ui/field'
import { Select } from '@/components/ui/input'
import { Skeleton } from '@/components/ui/loading'
import type { DeploymentPlace } from '@/lib/contracts/wire/places'
import { defaultAssistantsQuery } from '@/lib/queries/assistants'
import { AssistantForm } from './assistant-form'

/** Asks for the graph, which is kept in the URL, then shows the form. */
export function NewAssistant({ workspace, deploymentId }: DeploymentPlace) {
  const set = useSetSearch({ isLocal: true })
  const linked = useSearchParams().get('graph')
  const [chosen, choose] = useState<string>()
  // The URL follows later, and what is typed meanwhile must belong to the chosen graph.
  const asked = chosen ?? linked
  const list = useQuery(defaultAssistantsQuery(workspace, deploymentId))
  if (list.error && !list.data) return <ErrorNotice error={list.error.view} onRetry={() => void list.refetch()} />
  if (!list.data) return <Skeleton className="h-64" />
  const graphs = [...new Set([...list.data.map((one) => one.graph_id), ...(asked ? [asked] : [])])]
  const graph = asked ?? graphs[0]
  if (!graph) return <EmptyState title="No graphs">The agent server of this deployment has no graphs.</EmptyState>
  return (
    <>
      <Field id="new-graph" label="Graph" className="mb-4 max-w-sm" hint="Cannot be changed later.">
        <Select
          id="new-graph"
          value={graph}
          onChange={({ target }) => {
            choose(target.value)
            set({ graph: target.value })
          }}
        >
          {graphs.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </Select>
      </Field>
      <AssistantForm key={graph} workspace={workspace} deploymentId={deploymentId} graph={graph} />
    </>
  )
}
