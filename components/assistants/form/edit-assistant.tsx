'use client'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { ErrorNotice } from '@/components/shared/feedback/error-notice'
import { NothingHere } from '@/components/shared/feedback/nothing-here'
import { Skeleton } from '@/components/ui/loading'
import type { AssistantPlace } from '@/lib/contracts/wire/places'
import { assistantQuery, assistantVersionsQuery } from '@/lib/queries/assistants'
import { AssistantForm } from './assistant-form'

/** The form for the assistant as it was when the page opened. Later changes are detected on save. */
export function EditAssistant(place: AssistantPlace) {
  const { workspace, deploymentId, assistant } = place
  const query = useQuery({ ...assistantQuery(workspace, deploymentId, assistant), refetchOnMount: 'always' })
  const versions = useQuery({
    ...assistantVersionsQuery(workspace, deploymentId, assistant, { limit: 1 }),
    retry: false,
  })
  const [opened, setOpened] = useState(query.isFetchedAfterMount ? query.data : undefined)
  if (!opened && query.data && query.isFetchedAfterMount) setOpened(query.data)
  if (opened)
    return (
      <AssistantForm
        workspace={workspace}
        deploymentId={deploymentId}
        graph={opened.graph_id}
        assistant={opened}
        newest={versions.data?.[0]?.version ?? undefined}
      />
    )
  const code = query.error?.code
  if (code === 'not_found' || code === 'invalid') return <NothingHere />
  if (query.error) return <ErrorNotice error={query.error.view} onRetry={() => void query.refetch()} />
  return <Skeleton className="h-64" />
}
